// What an upstream must not give back: the credentials it was sent lately, because a token may be replaced while a request is open.
import type { Registry } from '../registry/backend.ts'
import type { Withheld } from '../text/foreign-text.ts'
import type { Redaction } from '../text/redact.ts'

type Secrets = readonly string[]

/** Asked for each text. */
export type WithheldNow = () => Withheld

export type SentSecrets = {
  /** A credential, noted as one that may come back from this place. */
  readonly note: (place: string, given: Given) => Given
  readonly of: (name: string, redact?: Redaction) => WithheldNow
  readonly forget: (name: string) => void
}

/** Of a token that each request fetches again, those of as many requests at a time. */
const MOST_CREDENTIALS = 16
const NONE: Secrets = []

type Given = ReturnType<Registry['credential']>
type Sent = { readonly recent: Secrets[]; all: Secrets }

const same = (a: Secrets, b: Secrets): boolean => a.length === b.length && a.every((text, at) => text === b[at])

export function createSentSecrets(): SentSecrets {
  const sent = new Map<string, Sent>()

  function note<T extends { readonly secrets: Secrets } | undefined>(name: string, given: T): T {
    if (given === undefined) return given
    const known = sent.get(name)
    if (known === undefined) sent.set(name, { recent: [given.secrets], all: given.secrets })
    else if (!known.recent.some((secrets) => same(secrets, given.secrets))) {
      known.recent.push(given.secrets)
      if (known.recent.length > MOST_CREDENTIALS) known.recent.shift()
      known.all = [...new Set(known.recent.flat())]
    }
    return given
  }

  return {
    note: (place, given) => (given instanceof Promise ? given.then((known) => note(place, known)) : note(place, given)),
    of(name, redact) {
      let withheld: Withheld = { secrets: NONE, redact }
      return () => {
        const secrets = sent.get(name)?.all ?? NONE
        if (secrets !== withheld.secrets) withheld = { secrets, redact }
        return withheld
      }
    },
    forget: (name) => void sent.delete(name),
  }
}
