// Content paths: `/Game/PCG/Forest` names an asset, and the one file below Content/ that holds it.
import path from 'node:path'
import { PcgError } from './editor.ts'

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/
/** Windows cannot have files of these names, and a project is moved between machines. */
export const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/i
const MOST_SEGMENTS = 16
const MOST_LENGTH = 240

function checkSegment(segment: string, whole: string): void {
  if (RESERVED.test(segment))
    throw new PcgError('INVALID_ARGUMENT', `'${segment}' is a name the file system reserves: choose another`)
  if (!SEGMENT.test(segment))
    throw new PcgError(
      'INVALID_ARGUMENT',
      `'${whole.slice(0, 120)}' is no content path: use letters, digits, _ and -, at most 64 in each part`,
    )
}

/** `/Game/A/B`, `/Game/A/B.B` and `PCGGraph'/Game/A/B.B'` are the same asset: answers `/Game/A/B`. */
export function contentPath(given: string): string {
  const bare = /^\w*'([^']*)'$/.exec(given)?.[1] ?? given
  const [packagePath = '', object, ...more] = bare.split('.')
  const [root, game, ...segments] = packagePath.split('/')
  if (root !== '' || game?.toLowerCase() !== 'game' || segments.length === 0 || more.length > 0)
    throw new PcgError(
      'INVALID_ARGUMENT',
      `A content path starts with /Game/ and names an asset: '${given.slice(0, 120)}'`,
    )
  if (segments.length > MOST_SEGMENTS || packagePath.length > MOST_LENGTH)
    throw new PcgError('INVALID_ARGUMENT', 'The content path is too long: use fewer or shorter folders')
  for (const segment of segments) checkSegment(segment, given)
  const name = segments.at(-1) ?? ''
  if (object !== undefined && object.toLowerCase() !== name.toLowerCase())
    throw new PcgError('INVALID_ARGUMENT', `The asset suffix must repeat the asset name: ${packagePath}.${name}`)
  return `/Game/${segments.join('/')}`
}

/** The folder and the name of a new asset as one content path. */
export function joinContentPath(folder: string, name: string): string {
  checkSegment(name, name)
  const trimmed = folder.replace(/(?<!\/)\/+$/, '')
  return trimmed.toLowerCase() === '/game'
    ? contentPath(`/Game/${name}`)
    : contentPath(`${contentPath(trimmed)}/${name}`)
}

export function assetName(content: string): string {
  return content.slice(content.lastIndexOf('/') + 1)
}

/** Assets that differ by case only are one asset, as in the real editor and on half of all disks. */
export function assetKey(content: string): string {
  return content.toLowerCase()
}

export const ASSET_SUFFIX = '.pcg.json'
export const LEVEL_SUFFIX = '.level.json'

export function assetFile(directory: string, content: string, suffix = ASSET_SUFFIX): string {
  return path.join(directory, 'Content', ...content.split('/').slice(2)) + suffix
}

/** The content path of a file below Content/, or nothing when its name could not be one. */
export function contentPathOf(directory: string, file: string, suffix = ASSET_SUFFIX): string | undefined {
  const relative = path.relative(path.join(directory, 'Content'), file.slice(0, -suffix.length))
  try {
    return contentPath(`/Game/${relative.split(path.sep).join('/')}`)
  } catch {
    return undefined
  }
}
