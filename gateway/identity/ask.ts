// Requests to authorization servers, through the outbound door: JSON in a bounded answer, or a reason.
import type { Outbound, OutboundRequest } from '../net/outbound.ts'
import { ProviderError } from './provider-error.ts'

export type Ask = ReturnType<typeof createAsk>
export type Fields = Readonly<Record<string, unknown>>
export type Answered = { readonly status: number; readonly challenge: string | undefined; readonly fields: Fields }

const MAX_BYTES = 262_144
const FORM = 'application/x-www-form-urlencoded'
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A web address over TLS, or on this computer. It is also opened in a browser, so nothing else may pass. */
export function webAddress(text: unknown, what: string): string {
  if (typeof text === 'string' && text.length <= 2_048 && URL.canParse(text)) {
    const { protocol, hostname, username, password, hash } = new URL(text)
    const safe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
    if (safe && username === '' && password === '' && hash === '') return text
  }
  throw new ProviderError('refused', `the ${what} is no https address`)
}

export function createAsk(outbound: Pick<Outbound, 'request'>, timeoutMs: number) {
  async function ask(
    what: string,
    request: Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body' | 'pin' | 'owner'>,
  ): Promise<Answered> {
    const headers = { accept: 'application/json', ...request.headers }
    const answer = await outbound
      .request({ ...request, headers, deadlineMs: timeoutMs, maxBytes: MAX_BYTES })
      .catch(() => {
        throw new ProviderError('unavailable', `the ${what} did not answer, or its address is not permitted`)
      })
    const challenge = answer.headers['www-authenticate']
    return {
      status: answer.status,
      challenge: typeof challenge === 'string' ? challenge : undefined,
      fields: fieldsIn(answer.body.toString('utf8')),
    }
  }

  return {
    ask,
    /** Undefined where it does not exist; other failures than 4xx are errors. */
    async document(url: string, what: string): Promise<Fields | undefined> {
      const { status, fields } = await ask(what, { url: webAddress(url, what) })
      if (status === 200) return fields
      if (status >= 500) throw new ProviderError('unavailable', `the ${what} answered ${status}`)
      return undefined
    },
    post: (what: string, url: string, form: URLSearchParams, headers: Readonly<Record<string, string>>) =>
      ask(what, {
        url: webAddress(url, what),
        method: 'POST',
        headers: { 'content-type': FORM, ...headers },
        body: form.toString(),
      }),
  }
}

function fieldsIn(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    // Checked: a record of unknown values.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
  } catch {
    return {}
  }
}
