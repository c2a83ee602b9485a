/** A server that listens everywhere is asked on this machine. */
export function nearby(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
