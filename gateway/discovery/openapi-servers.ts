// Where an API lives, as its document says it: variables filled, relative addresses resolved.
import { entriesOf, get, isRecord, listOf, scalarOf, textOf, textsOf } from './record.ts'

export type Server = { readonly baseUrl?: string; readonly basePath: string }

/** The first usable server of a `servers` list. */
export function serverOf(servers: unknown, documentUrl: string | undefined): Server | undefined {
  for (const server of listOf(servers)) {
    const url = textOf(get(server, 'url'))
    if (url === undefined) continue
    const found = located(fillVariables(url, get(server, 'variables')), documentUrl)
    if (found !== undefined) return found
  }
  return undefined
}

/** `host`, `basePath` and `schemes` of Swagger 2.0. */
export function legacyServerOf(document: unknown, documentUrl: string | undefined): Server | undefined {
  const host = textOf(get(document, 'host'))
  const basePath = textOf(get(document, 'basePath')) ?? '/'
  if (host === undefined) return located(basePath.startsWith('/') ? basePath : `/${basePath}`, documentUrl)
  const schemes = textsOf(get(document, 'schemes'))
  const scheme =
    schemes.includes('https') || !schemes.includes('http')
      ? schemes.length === 0
        ? schemeOf(documentUrl)
        : 'https'
      : 'http'
  return located(`${scheme}://${host}${basePath.startsWith('/') ? '' : '/'}${basePath}`, documentUrl)
}

function schemeOf(documentUrl: string | undefined): string {
  return documentUrl?.startsWith('http:') === true ? 'http' : 'https'
}

function fillVariables(url: string, variables: unknown): string {
  const values = new Map(
    entriesOf(variables).map(([name, variable]) => {
      const fallback = listOf(get(variable, 'enum'))[0]
      const value = get(variable, 'default') ?? fallback
      return [name, scalarOf(value)]
    }),
  )
  return url.replace(/\{([^{}]*)\}/g, (whole, name: string) => values.get(name) ?? whole)
}

const UNKNOWN = 'http://unknown.invalid'

function located(url: string, documentUrl: string | undefined): Server | undefined {
  if (url.includes('{')) return undefined
  const base = documentUrl ?? UNKNOWN
  if (!URL.canParse(url, base)) return undefined
  const { protocol, origin, pathname, username } = new URL(url, base)
  if (!/^https?:$/.test(protocol) || username !== '') return undefined
  const basePath = pathname.replace(/(?<!\/)\/+$/, '')
  return origin === UNKNOWN ? { basePath } : { baseUrl: `${origin}${basePath}`, basePath }
}

/** What to tell a person about the credentials an API wants; they are set apart from discovery. */
export function securityHint(document: unknown): string | undefined {
  const schemes = get(get(document, 'components'), 'securitySchemes') ?? get(document, 'securityDefinitions')
  const kinds = entriesOf(schemes).filter(([, scheme]) => isRecord(scheme))
  if (kinds.length === 0) return undefined
  const words = kinds.slice(0, 5).map(([name, scheme]) => {
    const place = get(scheme, 'in')
    const where = typeof place === 'string' ? ` in ${place} ${scalarOf(get(scheme, 'name'))}` : ''
    return `${name} (${scalarOf(get(scheme, 'scheme') ?? get(scheme, 'type'))}${where})`
  })
  return `The API declares authentication: ${words.join(', ')}. Set the backend's upstream credential.`.slice(0, 400)
}
