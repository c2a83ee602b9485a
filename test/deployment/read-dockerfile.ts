export interface DockerInstruction {
  readonly name: string;
  /** Continued lines are joined. */
  readonly value: string;
}

export interface DockerStage {
  readonly from: string;
  readonly instructions: readonly DockerInstruction[];
}

/** Parses the part of the format that our Dockerfile uses. */
export function readDockerfile(text: string): readonly DockerStage[] {
  const lines = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/gu, "")
    .split("\n")
    .filter((line) => line !== "");
  const stages: { from: string; instructions: DockerInstruction[] }[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^([A-Z]+) (.*)$/u.exec(line) ?? [];
    if (name === "") throw new Error(`Not an instruction: ${line}`);
    if (name === "FROM") stages.push({ from: value.split(" ")[0] ?? "", instructions: [] });
    else stages.at(-1)?.instructions.push({ name, value });
  }
  return stages;
}
