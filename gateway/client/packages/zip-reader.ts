// Reads a zip archive that anyone may have made: every name, kind and size is checked before a byte is unpacked.
import { crc32, inflateRawSync } from 'node:zlib'

export type Member = {
  /** Relative, with `/`, below the folder that it is unpacked to. */
  readonly path: string
  readonly isProgram: boolean
  readonly bytes: number
  /** Throws where its content is not what the archive says. */
  read(): Buffer
}

const MOST_MEMBERS = 50_000
const MOST_MEMBER = 268_435_456
const MOST_TOTAL = 1_073_741_824
const MOST_NAME = 1_024
/** A comment, and the signature that some tools append. */
const MOST_BEHIND = 131_072

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const [STORED, DEFLATED] = [0, 8]
const [ENCRYPTED, HIDDEN_HEADERS] = [0x0001, 0x2000]
const [KIND, REGULAR, FOLDER, EXECUTABLE] = [0o170000, 0o100000, 0o040000, 0o111]

class ArchiveFault extends Error {}
const refuse = (why: string): never => {
  throw new ArchiveFault(`the archive is refused: ${why}`)
}

function endIn(archive: Buffer): number {
  for (let at = archive.length - 22; at >= 0 && at >= archive.length - MOST_BEHIND; at -= 1)
    if (archive.readUInt32LE(at) === END && at + 22 + archive.readUInt16LE(at + 20) <= archive.length) return at
  return refuse('it is no zip file')
}

/** Devices of Windows in any folder and with any ending, also with the digits that Windows reads as 1, 2 and 3. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)/i
/** A drive or a stream of another file (`:`), what no name there has, and an ending that is cut off there. Refused on every system, since a bundle is made for all. */
const isOddOnWindows = (part: string): boolean => /[:*?"<>|]|[. ]$/.test(part) || DEVICE.test(part)

function nameIn(bytes: Buffer): string {
  let name = ''
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    refuse('a name in it is not UTF-8')
  }
  const shown = JSON.stringify(name.slice(0, 100))
  if (name.length > MOST_NAME) refuse(`the name ${shown}… is too long`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\x00-\x1f\x7f\\]/.test(name)) refuse(`the name ${shown} has a control character or a backslash`)
  const parts = name.replace(/\/$/, '').split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) refuse(`the name ${shown} leads out of it`)
  if (parts.some(isOddOnWindows)) refuse(`the name ${shown} is another file or a device on Windows`)
  return name
}

type Found = Omit<Member, 'read'> & {
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly from: number
  readonly nameBytes: Buffer
}

/** One row of the directory, and where the next begins. */
function foundAt(archive: Buffer, at: number, end: number): { readonly found: Found; readonly next: number } {
  if (at + 46 > end || archive.readUInt32LE(at) !== CENTRAL) refuse('its directory is damaged')
  const [flags, method] = [archive.readUInt16LE(at + 8), archive.readUInt16LE(at + 10)]
  const [crc, packed, bytes] = [16, 20, 24].map((field) => archive.readUInt32LE(at + field)) as [number, number, number]
  const nameLength = archive.readUInt16LE(at + 28)
  const next = at + 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  if (next > end) refuse('its directory is damaged')
  const nameBytes = archive.subarray(at + 46, at + 46 + nameLength)
  const path = nameIn(nameBytes)
  const mode = archive.readUInt32LE(at + 38) >>> 16
  const kind = mode & KIND
  if ((flags & (ENCRYPTED | HIDDEN_HEADERS)) !== 0) refuse(`${path} is encrypted`)
  if (method !== STORED && method !== DEFLATED) refuse(`${path} is packed in an unknown way`)
  if (kind !== 0 && kind !== (path.endsWith('/') ? FOLDER : REGULAR)) refuse(`${path} is a link or a device`)
  if (bytes > MOST_MEMBER) refuse(`${path} has more than 256 MiB`)
  const isProgram = (mode & EXECUTABLE) !== 0
  return {
    found: { path, isProgram, bytes, method, crc, packed, from: archive.readUInt32LE(at + 42), nameBytes },
    next,
  }
}

/** The packed bytes, where both headers of a member agree. */
function contentOf(archive: Buffer, { path, from, packed, nameBytes, method }: Found, directory: number) {
  if (from + 30 > directory || archive.readUInt32LE(from) !== LOCAL) refuse(`${path} is not where the directory says`)
  const nameEnd = from + 30 + archive.readUInt16LE(from + 26)
  const start = nameEnd + archive.readUInt16LE(from + 28)
  if (!archive.subarray(from + 30, nameEnd).equals(nameBytes) || archive.readUInt16LE(from + 8) !== method)
    refuse(`${path} has two descriptions that differ`)
  if (start + packed > directory) refuse(`${path} reaches into the directory`)
  return { path, from, start, end: start + packed }
}

function unpacked(content: Buffer, { path, method, bytes, crc }: Found): Buffer {
  let plain = content
  try {
    if (method === DEFLATED) plain = inflateRawSync(content, { maxOutputLength: Math.max(1, bytes) })
  } catch {
    refuse(`${path} is damaged, or larger than it says`)
  }
  if (plain.length !== bytes || crc32(plain) !== crc) refuse(`${path} is not what the directory says`)
  return plain
}

/** No two members with one name, also where upper and lower case are one, and none inside another. */
function requireApart(members: readonly Found[]): void {
  const files = new Set<string>()
  const keyOf = (path: string): string => path.normalize('NFC').toUpperCase().toLowerCase()
  for (const { path } of members) {
    const key = keyOf(path)
    if (files.has(key)) refuse(`it has ${path} twice`)
    files.add(key)
  }
  for (const key of files)
    for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1))
      if (files.has(key.slice(0, at))) refuse(`${key.slice(0, at)} is a file and a folder`)
}

/** The files of an archive. Throws a sentence where it may not be unpacked. */
export function membersOf(archive: Buffer): readonly Member[] {
  const end = endIn(archive)
  const count = archive.readUInt16LE(end + 10)
  const [size, directory] = [archive.readUInt32LE(end + 12), archive.readUInt32LE(end + 16)]
  if (archive.readUInt32LE(end + 4) !== 0 || archive.readUInt16LE(end + 8) !== count) refuse('it has several parts')
  if (count > MOST_MEMBERS) refuse(`it has more than ${MOST_MEMBERS} files`)
  if (directory + size !== end) refuse('its directory is damaged')
  const all: Found[] = []
  let at = directory
  for (let row = 0; row < count; row += 1) {
    const { found, next } = foundAt(archive, at, end)
    all.push(found)
    at = next
  }
  if (at !== end) refuse('its directory is damaged')
  if (all.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_TOTAL) refuse('it has more than 1 GiB')
  const files = all.filter(({ path }) => !path.endsWith('/'))
  requireApart(files)
  const contents = all.map((found) => contentOf(archive, found, directory))
  // Members that share bytes are how a small archive becomes a large one.
  const sorted = contents.toSorted((a, b) => a.from - b.from)
  for (const [index, { path, end: last }] of sorted.entries())
    if (last > (sorted[index + 1]?.from ?? directory)) refuse(`${path} overlaps another file`)
  const placeOf = new Map(contents.map((content) => [content.path, content]))
  return files.map((found) => ({
    path: found.path,
    isProgram: found.isProgram,
    bytes: found.bytes,
    read() {
      const place = placeOf.get(found.path)
      return unpacked(archive.subarray(place?.start, place?.end), found)
    },
  }))
}
