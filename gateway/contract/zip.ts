// Files as one zip file, stored as they are. Pure.
const TABLE = Uint32Array.from({ length: 256 }, (_, at) => {
  let value = at
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

/** Numbers of two or four bytes, the lowest byte first. */
function record(...fields: readonly (readonly [size: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)))
  let at = 0
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += size
  }
  return new Uint8Array(view.buffer)
}

const UTF8_NAMES = 0x0800
/** 1980-01-01: one folder is the same file whenever it is made. */
const DAY = 0x0021

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export type ZipFile = {
  readonly path: string
  readonly text: string | Uint8Array
  /** May be run, where the system has such a mode. */
  readonly isProgram?: boolean
}

const UNIX = 3 << 8
const modeOf = (isProgram: boolean | undefined): number =>
  isProgram === undefined ? 0 : isProgram ? 0o100755 : 0o100644
const MOST_FILES = 65_534

/** Of at most 65,534 files and 4 GiB. */
export function zipOf(files: readonly ZipFile[]): Uint8Array<ArrayBuffer> {
  if (files.length > MOST_FILES) throw new Error(`a zip file has at most ${MOST_FILES} files`)
  const encoder = new TextEncoder()
  const parts: Uint8Array[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const { path, text, isProgram } of files) {
    const [name, bytes] = [encoder.encode(path), typeof text === 'string' ? encoder.encode(text) : text]
    const mode = modeOf(isProgram)
    const about = [
      [2, UTF8_NAMES],
      [2, 0],
      [2, 0],
      [2, DAY],
      [4, crcOf(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    ] as const
    const local = record([4, 0x04034b50], [2, 20], ...about)
    const central = record(
      [4, 0x02014b50],
      [2, mode === 0 ? 20 : UNIX | 20],
      [2, 20],
      ...about,
      [2, 0],
      [2, 0],
      [2, 0],
      [4, mode * 0x10000],
      [4, offset],
    )
    parts.push(local, name, bytes)
    directory.push(central, name)
    offset += local.length + name.length + bytes.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const count = files.length
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0])
  return joined([...parts, ...directory, end])
}
