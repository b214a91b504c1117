// Credentials in a pasted request are taken out of it: one becomes the backend's upstream credential, none stays on a tool.
import { isCredentialHeader, isHeaderValue, isToken } from './headers.ts'
import type { FoundCredential } from './tool.ts'

export type HeaderPair = readonly [name: string, value: string]

export type Separated = {
  readonly plain: readonly HeaderPair[]
  readonly found: readonly FoundCredential[]
}

export function separateCredentials(headers: readonly HeaderPair[]): Separated {
  const plain = headers.filter(([name]) => !isCredentialHeader(name))
  const found = headers.filter(([name, value]) => isCredentialHeader(name) && usable(value)).map(credentialOf)
  return { plain, found }
}

// A placeholder is not a credential.
function usable(value: string): boolean {
  return value.trim() !== '' && isHeaderValue(value) && !/\$\{\w+\}|\{\{[^{}]*\}\}|<[^<>]*>/.test(value)
}

function credentialOf([name, value]: HeaderPair): FoundCredential {
  if (/^authorization$/i.test(name)) {
    const bearer = /^bearer\s+(\S+)$/i.exec(value)?.[1]
    if (bearer !== undefined) return { type: 'bearer', token: bearer }
    const basic = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(value)?.[1]
    const decoded = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8')
    if (decoded.includes(':')) return basicOf(decoded)
  }
  return { type: 'header', headerName: name, value }
}

export function basicOf(userAndPassword: string): FoundCredential {
  const at = userAndPassword.indexOf(':')
  return at < 0
    ? { type: 'basic', username: userAndPassword, password: '' }
    : { type: 'basic', username: userAndPassword.slice(0, at), password: userAndPassword.slice(at + 1) }
}

export type Chosen = { readonly credential?: FoundCredential; readonly warnings: readonly string[] }

export const isCookie = (credential: FoundCredential): boolean =>
  credential.type === 'header' && /cookie/i.test(credential.headerName)

export function chooseCredential(found: readonly FoundCredential[]): Chosen {
  // What most requests use is the backend's: one that logs in has its own. A cookie is only taken for want of better.
  const uses = [...Map.groupBy(found, (credential) => JSON.stringify(credential)).values()]
  const rank = (c: FoundCredential) => (isCookie(c) ? 2 : c.type === 'header' ? 1 : 0)
  const [credential, ...others] = uses
    .flatMap(([first, ...more]) => (first === undefined ? [] : [{ first, times: more.length + 1 }]))
    .toSorted(
      (a, b) =>
        Number(isCookie(a.first)) - Number(isCookie(b.first)) || b.times - a.times || rank(a.first) - rank(b.first),
    )
    .map(({ first }) => first)
  if (credential === undefined) return { warnings: [] }
  const taken = `The ${labelOf(credential)} was taken out of the source: it is kept as the backend's encrypted upstream credential, or dropped where no secrets provider is configured.`
  const dropped =
    others.length === 0
      ? []
      : [`A backend has one upstream credential; dropped: ${[...new Set(others.map(labelOf))].slice(0, 5).join(', ')}.`]
  return { credential, warnings: [taken, ...dropped] }
}

function labelOf(credential: FoundCredential): string {
  if (credential.type === 'bearer') return 'bearer token'
  if (credential.type === 'basic') return 'user name and password'
  return `header ${isToken(credential.headerName) ? credential.headerName : '(unnamed)'}`
}
