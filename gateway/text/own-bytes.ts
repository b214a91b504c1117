/** Encodes text as UTF-8 in an unshared buffer, which can be transferred to another thread or kept. */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
