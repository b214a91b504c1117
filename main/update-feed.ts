// The signature of an update feed and what it covers: written by the release, verified before anything is downloaded.
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { parse } from 'yaml'
import { z } from 'zod'
import { t } from './language.ts'

/** Why a feed is not followed; the message is shown to a person. */
export class FeedRefused extends Error {}

/** Nothing else that is signed with this key can be read as a feed. */
const CONTEXT = 'gantry update feed 1'
/** An Ed25519 public key as SPKI, before its 32 bytes. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const MOST_SIGNATURES = 4
export const signatureNameOf = (feedName: string): string => `${feedName}.sig`

/** The name is signed too, so that the feed of one system is invalid for another. */
const messageOf = (name: string, text: string): Buffer => Buffer.from(`${CONTEXT}\n${name}\n${text}`, 'utf8')

/** The 32 bytes of the public key of a private one, in base64: the form that the package holds. */
export const publicKeyOf = (privateKey: KeyObject): string =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI.length).toString('base64')

const keyIdOf = (publicKey: string): string => createHash('sha256').update(publicKey).digest('hex').slice(0, 16)

/** One line of a signature file; while keys are rotated a file has one for each. */
export function signatureLine(name: string, text: string, privateKey: KeyObject): string {
  const signature = sign(null, messageOf(name, text), privateKey).toString('base64')
  return `ed25519 ${keyIdOf(publicKeyOf(privateKey))} ${signature}\n`
}

/** Throws unless one of the keys signed exactly this text under this name. */
export function verifyFeed(name: string, text: string, signatures: string, keys: readonly string[]): void {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]))
  let known = false
  for (const line of signatures.trim().split('\n').slice(0, MOST_SIGNATURES)) {
    const [, id = '', signature = ''] = /^ed25519 ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)$/.exec(line.trim()) ?? []
    const key = byId.get(id)
    if (key === undefined) continue
    known = true
    const der = Buffer.concat([SPKI, Buffer.from(key, 'base64')])
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (verify(null, messageOf(name, text), publicKey, Buffer.from(signature, 'base64'))) return
  }
  throw new FeedRefused(
    known
      ? t('The signature of {name} does not match its content', { name })
      : t('{name} is not signed with an update key of this application', { name }),
  )
}

const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?$/
/** What is downloaded is named relative to the feed, and its hash is in it. */
const FeedFile = z.object({
  url: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,200}$/, 'must be a plain file name'),
  sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/, 'must be a SHA-512 in base64'),
  size: z.int().min(1),
})
const Feed = z.object({
  version: z.string().regex(VERSION, 'must be a version'),
  files: z.array(FeedFile).min(1).max(32),
  releaseDate: z.iso.datetime(),
})
/** Only what is understood: other fields of a feed change how electron-updater downloads. */
export type Feed = z.infer<typeof Feed>

export function readFeed(name: string, text: string): Feed {
  const read = Feed.safeParse(parse(text, { maxAliasCount: 0 }))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new FeedRefused(`${name} is no update feed: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

const identifiers = (text: string): readonly (number | string)[] =>
  text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** By the precedence of semantic versions; negative where the first is older. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [VERSION.exec(a) ?? [], VERSION.exec(b) ?? []]
  for (const at of [1, 2, 3]) {
    const difference = Number(x[at] ?? 0) - Number(y[at] ?? 0)
    if (difference !== 0) return difference
  }
  const [before, after] = [x[4], y[4]]
  if (before === after) return 0
  if (before === undefined || after === undefined) return before === undefined ? 1 : -1
  const [left, right] = [identifiers(before), identifiers(after)]
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one, other] = [left[at], right[at]]
    if (one === other) continue
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1
    if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1
    return one < other ? -1 : 1
  }
  return 0
}

export type Seen = Pick<Feed, 'version' | 'releaseDate'>

/** A feed that was signed once stays signed: an older one than was seen is a replay. */
export function checkFresh(name: string, feed: Seen, current: string, seen: Seen | undefined): void {
  if (compareVersions(feed.version, current) < 0)
    throw new FeedRefused(
      t('{name} offers {version}, which is older than this version, {current}', {
        name,
        version: feed.version,
        current,
      }),
    )
  if (!seen) return
  const older =
    compareVersions(feed.version, seen.version) < 0 || Date.parse(feed.releaseDate) < Date.parse(seen.releaseDate)
  if (older)
    throw new FeedRefused(
      t('{name} is older than the feed that was read before, of {version}', { name, version: seen.version }),
    )
}
