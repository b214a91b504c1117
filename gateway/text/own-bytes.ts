/** Text as UTF-8 in memory of its own: not of a pool that others share, so that it can be handed to another thread, or kept by itself. */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
