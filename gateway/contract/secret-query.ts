// Secrets in the query of an address, `?api_key=…`: in a document each is the name of a variable, `?api_key=$GANTRY_SECRET_…`. Pure.
import type { RegistrationPayload } from './registration.ts'

export const URL_FIELDS = ['base_url', 'health_url', 'openapi_url', 'graphql_url', 'mcp_url'] as const
type UrlField = (typeof URL_FIELDS)[number]
export type QuerySecret = { readonly name: string; readonly field: UrlField; readonly param: string }

const SECRET_PARAM =
  /(^|[-_.])(api[-_.]?key|key|token|secret|password|passwd|pwd|signature|sig|auth|authorization|credential|jwt|sas|code)s?$/i
const PAIR = /([?&])([^=&#?]+)=([^&#]+)/g
const REFERENCE = /^\$(GANTRY_SECRET_[A-Z0-9_]{1,100})$/
const MOST_OF_PARAM = 20

/** `apiKey` and `accessToken` are read as `api-key` and `access-token`. */
const isSecret = (param: string): boolean => SECRET_PARAM.test(param.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2'))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** No backend has two underscores in its name, so a dash may become them: two backends never share a variable. */
function variableOf(client: string, field: UrlField, param: string): string {
  const upper = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  return `GANTRY_SECRET_${client.toUpperCase().replaceAll('-', '__')}_${upper(field)}_${upper(param).slice(0, MOST_OF_PARAM)}`
}

type Replace = (field: UrlField, param: string, value: string) => string

/** Every value of every query, replaced where it stands: the rest of an address stays as it was written. */
function mapped<T extends Partial<RegistrationPayload>>(registration: T, replace: Replace): T {
  const urls = URL_FIELDS.flatMap((field): [UrlField, string][] => {
    const url = registration[field]
    if (typeof url !== 'string') return []
    const [address = '', ...fragment] = url.split('#')
    const changed = address.replace(
      PAIR,
      (_pair, before: string, param: string, value: string) =>
        `${before}${param}=${replace(field, decoded(param), value)}`,
    )
    return [[field, [changed, ...fragment].join('#')]]
  })
  return { ...registration, ...Object.fromEntries(urls) }
}

export function withReferences<T extends Partial<RegistrationPayload>>(client: string, registration: T): T {
  const taken = new Set<string>()
  return mapped(registration, (field, param, value) => {
    if (!isSecret(param) || REFERENCE.test(value)) return value
    const wanted = variableOf(client, field, param)
    let name = wanted
    for (let n = 2; taken.has(name); n += 1) name = `${wanted}_${n}`
    taken.add(name)
    return `$${name}`
  })
}

export function referencesIn(registration: Partial<RegistrationPayload>): readonly QuerySecret[] {
  const found: QuerySecret[] = []
  mapped(registration, (field, param, value) => {
    const name = REFERENCE.exec(value)?.[1]
    if (name !== undefined) found.push({ name, field, param })
    return value
  })
  return found
}

/** A reference whose variable is unknown, or named for something else, stays what it is: no document sends another's secret. */
export const withValues = <T extends Partial<RegistrationPayload>>(
  client: string,
  registration: T,
  valueOf: (name: string) => string | undefined,
): T =>
  mapped(registration, (field, param, value) => {
    const name = REFERENCE.exec(value)?.[1]
    const found = name?.startsWith(variableOf(client, field, param)) ? valueOf(name) : undefined
    return found === undefined || found === '' ? value : encodeURIComponent(found)
  })
