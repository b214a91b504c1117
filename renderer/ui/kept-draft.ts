// Keeps unsaved drafts in the storage of the tab, so that a reload, an outage or the end of a session loses none.
// Never secrets.
import { DRAFT_PREFIX } from '../api/draft-owner.ts'
import { isRecord } from './form/shape.ts'
import { withoutSecrets } from './without-secrets.ts'

export type KeptDraft = { readonly before: unknown; readonly draft: unknown }

/** Credentials in a pasted command or document, where they are part of a longer text. */
const NAMES_SECRET = /(?:authorization|api[-_]?key|cookie|passw(?:or)?d|secret|token|bearer|-u )/i

const MOST_CHARACTERS = 200_000

/** A draft as it may be stored: without `secrets`, and without fields that hold a credential anywhere in them. */
export function storable(draft: unknown, secrets: readonly string[] = []): unknown {
  const fields = isRecord(draft) ? draft : { list: draft }
  const { leftOut } = withoutSecrets(fields, {}, MOST_CHARACTERS)
  const tooLarge = JSON.stringify(fields).length > MOST_CHARACTERS
  const kept = Object.entries(fields).filter(
    ([name, value]) =>
      !tooLarge &&
      !secrets.includes(name) &&
      !isSecretText(value) &&
      !leftOut.some((path) => path === name || path.startsWith(`${name}.`)),
  )
  return isRecord(draft) ? Object.fromEntries(kept) : kept[0]?.[1]
}

const isSecretText = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 40 && NAMES_SECRET.test(value)

/** Two forms of a page differ in their fields or their record. */
export const placeOf = (...parts: readonly unknown[]): string =>
  [location.pathname, location.hash.split('?')[0], ...parts].join(' ')

export function readDraft(place: string): KeptDraft | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(DRAFT_PREFIX + place) ?? 'null')
    return isRecord(value) ? { before: value.before, draft: value.draft } : undefined
  } catch {
    return undefined
  }
}

export function writeDraft(place: string, kept: KeptDraft): void {
  try {
    sessionStorage.setItem(DRAFT_PREFIX + place, JSON.stringify(kept))
  } catch {
    // The storage is full or blocked: the draft lives as long as its form.
  }
}

export function dropDraft(place: string): void {
  try {
    sessionStorage.removeItem(DRAFT_PREFIX + place)
  } catch {
    // Storage is blocked: nothing was stored.
  }
}

/** The kept values over a fresh draft: only of fields that it still has, in the kind that they still have. */
export function restoredOver<D>(fresh: D, kept: unknown): D {
  if (Array.isArray(fresh)) return Array.isArray(kept) ? (kept as D) : fresh // both are lists that this form wrote
  if (!isRecord(fresh) || !isRecord(kept)) return fresh
  const known = Object.entries(kept).filter(
    ([name, value]) => name in fresh && (fresh[name] === null || value === null || typeof value === typeof fresh[name]),
  )
  return { ...fresh, ...Object.fromEntries(known) }
}
