// Whether another user of a Windows computer has access to a file or folder, by its owner and its list of entries. Pure; in doubt, yes.
import type { Security } from './security-descriptor.ts'

const [DELETE, WRITE_ACL, WRITE_OWNER] = [0x1_0000, 0x4_0000, 0x8_0000]
const [GENERIC_ALL, GENERIC_WRITE, GENERIC_READ] = [0x1000_0000, 0x4000_0000, 0x8000_0000]
const [READ_DATA, WRITE_DATA, APPEND, WRITE_EXTRA, DELETE_CHILD, WRITE_ATTRIBUTES] = [0x1, 0x2, 0x4, 0x10, 0x40, 0x100]
/** All that the caller may have; no entry on a disk has it, and one that had would mean everything. */
const MAXIMUM = 0x0200_0000

const joined = (...rights: readonly number[]): number => rights.reduce((all, each) => all | each, 0) >>> 0

/** Attributes too: who may write them may make a file a link to another. */
export const WRITE = joined(
  DELETE,
  WRITE_ACL,
  WRITE_OWNER,
  GENERIC_ALL,
  GENERIC_WRITE,
  MAXIMUM,
  WRITE_DATA,
  APPEND,
  WRITE_EXTRA,
  DELETE_CHILD,
  WRITE_ATTRIBUTES,
)
export const READ_OR_WRITE = joined(WRITE, READ_DATA, GENERIC_READ)

/** Entries that take rights away. They are not counted: which of two entries comes first decides, and that may change. */
const DENIALS: readonly number[] = [1, 6, 10, 12]
/** Of the other list, which says what is logged. */
const AUDITS: readonly number[] = [2, 3, 7, 8, 13, 14, 15, 16]

export const SYSTEM = 'S-1-5-18'
export const ADMINISTRATORS = 'S-1-5-32-544'
/** Who creates a file, and who owns this one: neither is another user. */
const OWNERS: readonly string[] = ['S-1-3-0', 'S-1-3-4']

export type OthersAccess =
  | { readonly kind: 'owner'; readonly sid: string | null }
  | { readonly kind: 'no list' }
  /** A null is an entry that cannot be read. */
  | { readonly kind: 'entries'; readonly sids: readonly (string | null)[] }

/** Undefined where only this user, the system and the administrators have any of the rights. Entries that only new files inherit count, too. */
export function othersAccess({ owner, aces }: Security, user: string, rights: number): OthersAccess | undefined {
  const own: readonly string[] = [user, SYSTEM, ADMINISTRATORS]
  // An owner may change the list.
  if (owner === null || !own.includes(owner)) return { kind: 'owner', sid: owner }
  if (aces === null) return { kind: 'no list' }
  const sids = aces.flatMap(({ type, mask, sid }) => {
    if (DENIALS.includes(type) || AUDITS.includes(type) || (mask & rights) === 0) return []
    return sid !== null && [...own, ...OWNERS].includes(sid) ? [] : [sid]
  })
  return sids.length === 0 ? undefined : { kind: 'entries', sids: [...new Set(sids)] }
}

const NAMES: Readonly<Record<string, string>> = {
  'S-1-1-0': 'Everyone',
  'S-1-5-4': 'interactive users',
  'S-1-5-7': 'anonymous users',
  'S-1-5-11': 'Authenticated Users',
  'S-1-5-32-545': 'Users',
  'S-1-5-32-546': 'Guests',
  'S-1-15-2-1': 'all application packages',
}
const nameOf = (sid: string | null): string => (sid === null ? 'an entry of an unknown kind' : (NAMES[sid] ?? sid))

type Place = { readonly path: string; readonly isFolder: boolean }

/** The command that gives a file or folder to this user, the system and the administrators alone. */
function closing({ path, isFolder }: Place, user: string, sids: readonly (string | null)[]): string {
  const inherited = isFolder ? '(OI)(CI)F' : 'F'
  const granted = [user, SYSTEM, ADMINISTRATORS].map((sid) => `"*${sid}:${inherited}"`).join(' ')
  const removed = sids.flatMap((sid) => (sid === null ? [] : [` /remove "*${sid}"`])).join('')
  return `icacls "${path}" /inheritance:r /grant:r ${granted}${removed}`
}

/** What is wrong, and the command that corrects it. */
export function othersText(access: OthersAccess, place: Place, user: string, may: 'write' | 'read'): string {
  switch (access.kind) {
    case 'owner':
      return `it belongs to another user (${access.sid ?? 'it has none'}). As administrator: icacls "${place.path}" /setowner "*${user}"`
    case 'no list':
      return `all users may ${may} it: it has no access list. Run: ${closing(place, user, [])}`
    case 'entries':
      return `others may ${may} it (${access.sids.map(nameOf).join(', ')}). Run: ${closing(place, user, access.sids)}`
  }
}
