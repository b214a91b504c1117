// Access lists as others may have made them: each entry that lets another user write is found, and damage is refused.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADMINISTRATORS, othersAccess, othersText, READ_OR_WRITE, SYSTEM, WRITE } from './others-access.ts'
import { type Ace, type Security, securityIn } from './security-descriptor.ts'

const ME = 'S-1-5-21-1-2-3-1001'
const OTHER = 'S-1-5-21-1-2-3-1002'
const [EVERYONE, AUTHENTICATED, USERS] = ['S-1-1-0', 'S-1-5-11', 'S-1-5-32-545']
const FULL = 0x1f01ff
const READ = 0x120089
const [ALLOW, DENY] = [0, 1]
const [INHERITED, INHERIT_ONLY] = [0x10, 0x08]

const ace = (sid: string | null, mask = FULL, given: Partial<Ace> = {}): Ace => ({
  type: ALLOW,
  flags: 0,
  mask,
  sid,
  ...given,
})
const OWN = [ace(ME), ace(SYSTEM), ace(ADMINISTRATORS)]
const by = (aces: readonly Ace[] | null, owner: string | null = ME): Security => ({ owner, aces })

function sidBytes(sid: string): Buffer {
  const [, , authority, ...parts] = sid.split('-').map(Number)
  const bytes = Buffer.alloc(8 + parts.length * 4)
  bytes.writeUInt8(1)
  bytes.writeUInt8(parts.length, 1)
  bytes.writeUIntBE(authority ?? 0, 2, 6)
  for (const [at, part] of parts.entries()) bytes.writeUInt32LE(part, 8 + at * 4)
  return bytes
}

/** As Windows writes it. */
function written({ owner, aces }: Security): Buffer {
  const own = owner === null ? Buffer.alloc(0) : sidBytes(owner)
  const entries = (aces ?? []).map(({ type, flags, mask, sid }) => {
    const bytes = Buffer.concat([Buffer.alloc(8), sidBytes(sid ?? SYSTEM)])
    bytes.writeUInt8(type)
    bytes.writeUInt8(flags, 1)
    bytes.writeUInt16LE(bytes.length, 2)
    bytes.writeUInt32LE(mask >>> 0, 4)
    return bytes
  })
  const list = Buffer.concat([Buffer.alloc(8), ...entries])
  list.writeUInt8(2)
  list.writeUInt16LE(list.length, 2)
  list.writeUInt16LE(entries.length, 4)
  const head = Buffer.alloc(20)
  head.writeUInt8(1)
  head.writeUInt16LE(aces === null ? 0x8000 : 0x8004, 2)
  if (owner !== null) head.writeUInt32LE(20, 4)
  if (aces !== null) head.writeUInt32LE(20 + own.length, 16)
  return Buffer.concat([head, own, aces === null ? Buffer.alloc(0) : list])
}

describe('a file of Windows', () => {
  it.each<[string, Security]>([
    ['of this user, with the entries of a home folder', by(OWN)],
    ['of the administrators', by(OWN, ADMINISTRATORS)],
    ['of the system', by(OWN, SYSTEM)],
    ['with an empty list', by([])],
    ['that others may read', by([...OWN, ace(EVERYONE, READ), ace(USERS, 0x1200a9)])],
    [
      'with rights of who creates and who owns',
      by([...OWN, ace('S-1-3-0', 0x1000_0000, { flags: 0x0b }), ace('S-1-3-4')]),
    ],
    ['with entries that deny', by([ace(EVERYONE, FULL, { type: DENY }), ...OWN])],
    ['with entries of what is logged', by([...OWN, ace(EVERYONE, FULL, { type: 2 })])],
  ])('%s can be written by no other user', (_what, security) => {
    expect(othersAccess(security, ME, WRITE)).toBeUndefined()
    expect(othersAccess(securityIn(written(security)), ME, WRITE)).toBeUndefined()
  })

  it.each<[string, Security, string | null]>([
    ['everyone', by([...OWN, ace(EVERYONE)]), EVERYONE],
    [
      'authenticated users who may change it, inherited',
      by([ace(AUTHENTICATED, 0x1301bf, { flags: INHERITED })]),
      AUTHENTICATED,
    ],
    ['users, in an entry for new files only', by([...OWN, ace(USERS, 0x2, { flags: INHERIT_ONLY })]), USERS],
    ['another user', by([...OWN, ace(OTHER)]), OTHER],
    ['a user whose number begins with that of this one', by([ace(`${ME}0`)]), `${ME}0`],
    ['the group of who creates', by([...OWN, ace('S-1-3-1')]), 'S-1-3-1'],
    ['everyone, denied before', by([ace(EVERYONE, FULL, { type: DENY }), ace(EVERYONE)]), EVERYONE],
    ['everyone, denied afterwards', by([ace(EVERYONE), ace(EVERYONE, FULL, { type: DENY })]), EVERYONE],
    ['an application in its container', by([...OWN, ace('S-1-15-2-1', 0x2)]), 'S-1-15-2-1'],
    ['everyone on a condition', by([ace(EVERYONE, 0x2, { type: 9 })]), EVERYONE],
    ['an entry for objects, whose user is not read', by([ace(null, 0x2, { type: 5 })]), null],
    ['an entry of an unknown kind', by([ace(null, 0x2, { type: 77 })]), null],
  ])('that can be written by %s is refused', (_what, security, sid) => {
    expect(othersAccess(security, ME, WRITE)).toEqual({ kind: 'entries', sids: [sid] })
    expect(othersAccess(securityIn(written(security)), ME, WRITE)).toEqual({ kind: 'entries', sids: [sid] })
  })

  it.each([
    ['write data', 0x2],
    ['append', 0x4],
    ['write extra attributes', 0x10],
    ['delete what is in it', 0x40],
    ['write attributes', 0x100],
    ['delete', 0x1_0000],
    ['change the list', 0x4_0000],
    ['take the ownership', 0x8_0000],
    ['generic write', 0x4000_0000],
    ['generic all', 0x1000_0000],
    ['the most there is', 0x0200_0000],
  ])('is refused for the right to %s alone', (_right, mask) => {
    expect(othersAccess(by([...OWN, ace(USERS, mask)]), ME, WRITE)).toEqual({ kind: 'entries', sids: [USERS] })
    expect(othersAccess(by([...OWN, ace(USERS, mask, { type: DENY })]), ME, WRITE)).toBeUndefined()
  })

  it('of another owner, of none, or without a list is refused', () => {
    expect(othersAccess(by(OWN, OTHER), ME, WRITE)).toEqual({ kind: 'owner', sid: OTHER })
    expect(othersAccess(by(OWN, null), ME, WRITE)).toEqual({ kind: 'owner', sid: null })
    expect(othersAccess(securityIn(written(by(null))), ME, WRITE)).toEqual({ kind: 'no list' })
  })

  it('that others may only read is distinguished', () => {
    for (const mask of [READ, 0x8000_0000])
      expect(othersAccess(by([...OWN, ace(USERS, mask)]), ME, READ_OR_WRITE)).toEqual({
        kind: 'entries',
        sids: [USERS],
      })
    // Its attributes and its list say nothing of its content.
    expect(othersAccess(by([...OWN, ace(USERS, 0x120080)]), ME, READ_OR_WRITE)).toBeUndefined()
  })

  it('is refused with the command that corrects it', () => {
    const file = { path: 'C:\\Users\\Ann B\\servers.json', isFolder: false }
    const textOf = (security: Security, place = file): string => {
      const access = othersAccess(security, ME, WRITE)
      return access ? othersText(access, place, ME, 'write') : ''
    }
    expect(textOf(by([...OWN, ace(EVERYONE), ace(OTHER)]))).toBe(
      `others may write it (Everyone, ${OTHER}). Run: icacls "C:\\Users\\Ann B\\servers.json" /inheritance:r /grant:r ` +
        `"*${ME}:F" "*${SYSTEM}:F" "*${ADMINISTRATORS}:F" /remove "*${EVERYONE}" /remove "*${OTHER}"`,
    )
    expect(textOf(by(null), { ...file, isFolder: true })).toMatch(/no access list\. Run: icacls .*:\(OI\)\(CI\)F"$/)
    expect(textOf(by(OWN, OTHER))).toBe(
      `it belongs to another user (${OTHER}). As administrator: icacls "C:\\Users\\Ann B\\servers.json" /setowner "*${ME}"`,
    )
  })

  it('with damaged bytes is refused, and never read beyond them', () => {
    const whole = written(by([...OWN, ace(EVERYONE, READ)]))
    expect(securityIn(whole).aces).toHaveLength(4)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
        fc.nat(whole.length),
        (changes, cutAt) => {
          const damaged = Buffer.from(whole)
          for (const [at, value] of changes) damaged[at] = value
          for (const bytes of [damaged, damaged.subarray(0, cutAt)])
            try {
              othersAccess(securityIn(bytes), ME, WRITE)
            } catch (error) {
              expect((error as Error).message).toBe('its access list cannot be read')
            }
        },
      ),
      { numRuns: Number(process.env['GANTRY_FUZZ_RUNS'] ?? 500) },
    )
  })
})
