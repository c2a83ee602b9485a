import type { Attachment } from "./attachment.ts";

/** Why a file was not attached, as a sentence. */
class AttachmentError extends Error {}

const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Larger images are scaled down. */
const MOST_OF_AN_IMAGE = 400_000;
const MOST_OF_A_FILE = 200_000;
const MOST_READ = 30_000_000;
/** The longest edge and the quality of each attempt. Models see no more than the first. */
const ATTEMPTS = [
  [1_568, 0.85],
  [1_280, 0.8],
  [1_024, 0.75],
  [768, 0.7],
] as const;

/** Reads a file that a person pasted, dropped or picked. */
export async function readAttachment(file: File, id: string): Promise<Attachment> {
  if (file.size > MOST_READ) throw new AttachmentError(`${file.name} is larger than 30 MB.`);
  return file.type.startsWith("image/") ? readImage(file, id) : readText(file, id);
}

async function readText(file: File, id: string): Promise<Attachment> {
  if (file.size > MOST_OF_A_FILE)
    throw new AttachmentError(
      `${file.name} is larger than 200 kB. Put it into the repository and mention it with @.`,
    );
  const text = await file.text();
  if (text.includes("\0") || text.includes("\uFFFD"))
    throw new AttachmentError(`${file.name} is neither an image nor text.`);
  const mimeType = file.type === "" ? "text/plain" : file.type;
  return { kind: "file", id, name: file.name, mimeType, text };
}

async function readImage(file: File, id: string): Promise<Attachment> {
  const name = file.name === "" ? "image" : file.name;
  if (IMAGES.has(file.type)) {
    const data = await base64Of(file);
    if (data.length <= MOST_OF_AN_IMAGE)
      return { kind: "image", id, name, mimeType: file.type, data };
  }
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) throw new AttachmentError(`${name} is no image that a browser can read.`);
  for (const [edge, quality] of ATTEMPTS) {
    const data = await base64Of(await scaled(bitmap, edge, quality));
    if (data.length <= MOST_OF_AN_IMAGE)
      return { kind: "image", id, name, mimeType: "image/jpeg", data };
  }
  throw new AttachmentError(`${name} is too large, even scaled down.`);
}

async function scaled(bitmap: ImageBitmap, edge: number, quality: number): Promise<Blob> {
  const factor = Math.min(1, edge / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * factor));
  canvas.height = Math.max(1, Math.round(bitmap.height * factor));
  const context = canvas.getContext("2d");
  if (context === null) throw new AttachmentError("This browser cannot scale images.");
  // JPEG has no transparency.
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) =>
        blob === null ? reject(new AttachmentError("The image was not scaled.")) : resolve(blob),
      "image/jpeg",
      quality,
    ),
  );
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("error", () => reject(new AttachmentError("The file was not read.")));
    reader.addEventListener("load", () => {
      const { result } = reader;
      const url = typeof result === "string" ? result : "";
      resolve(url.slice(url.indexOf(",") + 1));
    });
    reader.readAsDataURL(blob);
  });
}
