// Paths of assets in a real editor: below any root of content, since plugins bring their own, and in any script.
import { RESERVED } from '../editor/content-path.ts'
import { PcgError } from '../editor/editor.ts'

/** What no name of an object may hold, by the engine. */
const FORBIDDEN = /["' ,/.:|&!~@#(){}[\]=;^%$`\\*?<>\p{Cc}\p{Cf}]/u
/** Roots that belong to the engine, or to no file. */
const CLOSED = /^(engine|script|temp|memory|config)$/i
const MOST_NAME = 240
const MOST_PATH = 1000

/** Why a text names no asset, or nothing. Letters that only look like dots or slashes are those. */
function wrongName(name: string): string | null {
  if (name === '' || name.length > MOST_NAME || FORBIDDEN.test(name.normalize('NFKC')))
    return `'${name.slice(0, 120)}' is no name of an asset: use letters, digits, _ and -, at most ${MOST_NAME}`
  return RESERVED.test(name) ? `'${name}' is a name the file system reserves: choose another` : null
}

function wrongPath(path: string): string | null {
  const [before, root = '', ...rest] = path.split('/')
  if (before !== '' || root === '' || path.length > MOST_PATH)
    return `A folder of content starts with a root such as /Game: '${path.slice(0, 120)}'`
  if (CLOSED.test(root)) return `No graph of a project stands below /${root}: use /Game/…`
  return [root, ...rest].map(wrongName).find((wrong) => wrong !== null) ?? null
}

export function newAsset(folder: string, name: string): { readonly folder: string; readonly name: string } {
  const trimmed = folder.replace(/(?<!\/)\/+$/, '')
  const wrong = wrongName(name) ?? wrongPath(trimmed)
  if (wrong !== null) throw new PcgError('INVALID_ARGUMENT', wrong)
  return { folder: trimmed, name }
}

/** `/PCG/A/B`, `/PCG/A/B.B` and `PCGGraph'/PCG/A/B.B'` are `/PCG/A/B`. Whether it exists is for the editor to say. */
export function graphPath(given: string): string {
  const bare = /^[\w./]*'([^']*)'$/.exec(given)?.[1] ?? given
  const folder = bare.lastIndexOf('/') + 1
  const [name = '', object, ...more] = bare.slice(folder).split('.')
  const path = bare.slice(0, folder) + name
  const suffixed = object === undefined || object.toLowerCase() === name.toLowerCase()
  if (!suffixed || more.length > 0 || folder < 2 || wrongPath(path) !== null)
    throw new PcgError('GRAPH_NOT_FOUND', 'PCG graph not found')
  return path
}
