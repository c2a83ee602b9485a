import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";
import { openSandboxWorld, SECRET, needSandbox } from "./testing/sandbox-world.ts";

beforeAll(needSandbox);

/** The error of `cat` for a missing file. */
const notThere = (file: string): string => `cat: ${file}: No such file or directory\n`;

describe("an agent in a sandbox", () => {
  it("works in its repository, at the same path as outside", async () => {
    const { repo, run } = await openSandboxWorld();
    writeFileSync(path.join(repo, "there"), "before\n");
    expect(await run("pwd; cat there; echo after > made")).toBe(`${repo}\nbefore\n`);
    expect(readFileSync(path.join(repo, "made"), "utf8")).toBe("after\n");
  });

  it("does not see the home, the data folder, other repositories or the folders around", async () => {
    const { home, data, otherRepo, folder, root, run } = await openSandboxWorld();
    const files = [
      path.join(home, ".ssh", "id"),
      path.join(home, "notes"),
      path.join(data, "holdfast.db"),
      path.join(otherRepo, "code"),
      path.join(folder, "beside"),
    ];
    expect(await run(files.map((file) => `cat ${file}`).join("; "))).toBe(
      files.map(notThere).join(""),
    );
    expect(await run(`ls -A ${home}; ls -A ${root}; ls -A ${folder}; ls -d ${data}`)).toBe(
      `.gitconfig\nrepo\nhome\nroot\nls: cannot access '${data}': No such file or directory\n`,
    );
    expect(await run("ls /home /root /srv /mnt /run /sys /boot /var")).not.toContain(SECRET);
  });

  it("sees neither the environment nor the process of the server", async () => {
    const { run } = await openSandboxWorld();
    const environ = `/proc/${process.pid}/environ`;
    expect(await run(`cat ${environ}; env | grep -c HOLDFAST_TOKEN`)).toBe(
      `0\n${notThere(environ)}`,
    );
    expect(await run(`grep -alr ${SECRET} /proc/*/environ; ls -d /proc/[0-9]* | wc -l`)).toMatch(
      /^[3-7]\n(grep: .*\n)*$/u,
    );
  });

  it("cannot write outside its repository, and its temporary files are removed with it", async () => {
    const { home, folder, run } = await openSandboxWorld();
    const mark = `mark-${path.basename(folder)}`;
    const places = ["/", "/usr", "/usr/bin", "/etc", "/opt", "/var", folder];
    const files = [...places.map((place) => path.join(place, mark)), `${home}/.gitconfig`];
    // The parent folder of the repository is in /tmp, which is private to the agent.
    expect(await run(files.map((file) => `echo x > ${file} || echo no`).join("; "))).toMatch(
      /^(no\n){6}no\n([^\n]*: Read-only file system\n){7}$/u,
    );
    const own = [`${home}/${mark}`, `/tmp/${mark}`, `/var/tmp/${mark}`, `/dev/shm/${mark}`];
    expect(await run(own.map((file) => `echo x > ${file} && cat ${file}`).join(";"))).toBe(
      "x\n".repeat(own.length),
    );
    expect(
      [...own, ...places.map((place) => path.join(place, mark))].filter((file) => existsSync(file)),
    ).toEqual([]);
  });

  it("cannot escape by mounts, devices or system settings", async () => {
    const { home, run } = await openSandboxWorld();
    const tries = [
      `umount ${home}`,
      "mount -o remount,rw /usr",
      "mount -t tmpfs none /usr",
      "mknod /tmp/disk b 8 0",
      // Opened without writing: a successful write would change the machine.
      ": >> /proc/sys/kernel/core_pattern",
      ": >> /proc/sys/vm/drop_caches",
      "test -w /proc/sysrq-trigger",
      "unshare -Urmpf --mount-proc sh -c ': >> /proc/sys/kernel/core_pattern'",
      "chroot /proc/1/root true",
      `nsenter -t 1 -m ls ${home}`,
    ];
    const all = tries.map((command) => `( ${command} ) 2>/dev/null && echo "done: ${command}"`);
    expect(await run(all.join("\n"))).toBe("");
    expect(await run(`unshare -Ur -m sh -c 'umount ${home}; ls -A ${home}' 2>/dev/null`)).toMatch(
      /^(\.gitconfig\n)?$/u,
    );
  });

  it("sees links out of the repository as broken", async () => {
    const { home, data, repo, run } = await openSandboxWorld();
    symlinkSync(path.join(home, "notes"), path.join(repo, "notes"));
    symlinkSync(data, path.join(repo, "data"));
    expect(
      await run("cat notes; cat data/holdfast.db; ln -s /proc/1/root/home up; ls up/"),
    ).toMatch(
      /^cat: notes: No such file or directory\ncat: data\/holdfast\.db: No such file or directory\nls: /u,
    );
  });

  it("has the user's Git settings and certificates", async () => {
    const { run } = await openSandboxWorld();
    expect(await run("git config user.name; ls /etc/resolv.conf; ls /etc/ssl | grep certs")).toBe(
      "Somebody\n/etc/resolv.conf\ncerts\n",
    );
  });

  it("sees its mounts as they are configured", async () => {
    const { home, folder, environment, run } = await openSandboxWorld();
    mkdirSync(path.join(home, ".mine"));
    writeFileSync(path.join(home, ".mine", "login"), "logged in\n");
    writeFileSync(path.join(folder, "extra"), "extra\n");
    const mounts = ["~/.mine", "$EXTRA:ro", "~/.made/", "~/.missing", "$UNSET/x", "~/.ssh/none"];
    const options = {
      definition: { mounts, passes: ["EXTRA"] },
      provider: { environment: { ...environment, EXTRA: path.join(folder, "extra") } },
    };
    expect(
      await run(
        `cd ~; ls -A; cat .mine/login $EXTRA; echo y > .mine/kept; echo y > .made/kept; echo y > $EXTRA`,
        options,
      ),
    ).toMatch(/^\.gitconfig\n\.made\n\.mine\nlogged in\nextra\n.*Read-only file system\n$/u);
    expect(readFileSync(path.join(home, ".mine", "kept"), "utf8")).toBe("y\n");
    expect(readFileSync(path.join(home, ".made", "kept"), "utf8")).toBe("y\n");
    expect(readdirSync(home).toSorted()).toEqual([".gitconfig", ".made", ".mine", ".ssh", "notes"]);
  });

  it("works in the folder that was opened, even if the path is replaced", async () => {
    const { repo, root, run } = await openSandboxWorld();
    writeFileSync(path.join(repo, "which"), "opened\n");
    renameSync(repo, path.join(root, "moved"));
    mkdirSync(repo);
    writeFileSync(path.join(repo, "which"), "put in its place\n");
    renameSync(repo, path.join(root, "false"));
    renameSync(path.join(root, "moved"), repo);
    expect(await run("cat which")).toBe("opened\n");
  });

  it("can use Git in a linked worktree, but cannot make other folders visible by it", async () => {
    needProgram("git");
    const { repo, root, otherRepo, run } = await openSandboxWorld();
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@y", ...args], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    const main = path.join(root, "main");
    git("init", main);
    git("-C", main, "commit", "--allow-empty", "-m", "first");
    renameSync(repo, path.join(root, "away"));
    git("-C", main, "worktree", "add", repo);
    const seen = `git -c safe.directory='*' log --format=%s; ls -A ${main}`;
    expect(await run(seen)).toBe("first\n.git\n");
    writeFileSync(path.join(repo, ".git"), `gitdir: ${otherRepo}/.git/worktrees/repo\n`);
    const theirs = path.join(otherRepo, ".git", "worktrees", "repo");
    mkdirSync(theirs, { recursive: true });
    writeFileSync(path.join(theirs, "gitdir"), `${root}/elsewhere/.git\n`);
    expect(await run(`ls ${otherRepo}`)).toBe(
      `ls: cannot access '${otherRepo}': No such file or directory\n`,
    );
  });
});
