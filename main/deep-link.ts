// What a gantry:// link may ask for. Anyone can make one, so the parse is strict and a person is asked before anything is done.
import { z } from 'zod'
import type { DeepLink } from '#channels'
import { externalUrl } from './external.ts'

const SCHEME = 'gantry:'
const MAX_LENGTH = 2048

const Source = z.string().transform((text, context) => {
  const url = externalUrl(text)
  if (url !== undefined) return url
  context.addIssue({ code: 'custom', message: 'must be a plain https address' })
  return z.NEVER
})

const ACTIONS = {
  'add-backend': z
    .strictObject({
      source: z.enum(['openapi', 'mcp', 'graphql']),
      url: Source,
      name: z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
        .optional(),
    })
    .transform(({ source, url, name }): DeepLink => ({ kind: 'add-backend', source, url, name: name ?? null })),
  open: z
    .strictObject({ page: z.string().regex(/^\/[a-z-]{0,40}$/) })
    .transform(({ page }): DeepLink => ({ kind: 'open-page', page })),
} as const

const isAction = (host: string): host is keyof typeof ACTIONS => Object.hasOwn(ACTIONS, host)

/** Undefined for a text that is not exactly one of the links above. */
export function parseDeepLink(given: string): DeepLink | undefined {
  // Printable ASCII: a well-formed link escapes everything else.
  if (given.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(given) || !URL.canParse(given)) return undefined
  const { protocol, host, pathname, username, password, hash, searchParams } = new URL(given)
  const bare = (pathname === '' || pathname === '/') && username === '' && password === '' && hash === ''
  if (protocol !== SCHEME || !bare || !isAction(host)) return undefined
  const pairs = [...searchParams]
  const once = new Set(pairs.map(([name]) => name)).size === pairs.length
  // The replacement character stands where an escape was no UTF-8.
  if (!once || pairs.some(([, value]) => value.includes('�'))) return undefined
  return ACTIONS[host].safeParse(Object.fromEntries(pairs)).data
}

/** The link among the arguments of a start; other arguments are ignored. */
export function linkAmong(argv: readonly string[]): string | undefined {
  const links = argv.filter((argument) => argument.toLowerCase().startsWith(SCHEME))
  return links.length === 1 ? links[0] : undefined
}

export type Links = {
  /** True when it is to be shown. */
  readonly offer: (given: string) => boolean
  readonly take: () => DeepLink | null
}

/** One link at a time: a second must not slip under the hand that answers the first. */
export function createLinks(): Links {
  let waiting: DeepLink | null = null
  return {
    offer(given) {
      const link = parseDeepLink(given)
      if (link === undefined || waiting !== null) return false
      waiting = link
      return true
    },
    take() {
      const link = waiting
      waiting = null
      return link
    },
  }
}
