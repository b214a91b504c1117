// Carries admin requests: over fetch with the session's cookie and CSRF token, or through the desktop window.
import { ApiError, type ClientRequest, type ClientResponse, type Transport } from '#contract'
import { t } from '../language/language.ts'
import type { DesktopBridge } from './desktop.ts'

const ME = '/admin-api/auth/me'
const DEADLINE_MS = 60_000

export type HttpNeeds = {
  readonly fetch: typeof globalThis.fetch
  readonly deadlineMs?: number
}

/** The token is in memory only. Answers of `/admin-api/auth/…` renew it. */
export function createHttpTransport({ fetch, deadlineMs = DEADLINE_MS }: HttpNeeds): Transport {
  let csrfToken: string | undefined

  async function exchange(request: ClientRequest): Promise<ClientResponse> {
    const mutates = request.method !== 'GET'
    const response = await answerOf(fetch, deadlineMs, {
      ...request,
      headers: { ...request.headers, ...(mutates && csrfToken ? { 'x-csrf-token': csrfToken } : {}) },
    })
    csrfToken = tokenIn(request.path, response) ?? csrfToken
    return response
  }

  return async (request) => {
    const response = await exchange(request)
    if (!csrfRefused(response)) return response
    // Another tab signed in, or the page was reloaded: fetch the session's token and retry once.
    const before = csrfToken
    await exchange({ method: 'GET', path: ME, headers: { accept: 'application/json' } })
    return csrfToken === before ? response : exchange(request)
  }
}

/** Main answers in the same envelope; only a lost main process needs mapping. */
export function createDesktopTransport(desktop: Pick<DesktopBridge, 'adminRequest'>): Transport {
  return async (request) => {
    try {
      // A copy for the channel's type; the transfer clones it anyway.
      return await desktop.adminRequest({ ...request, headers: { ...request.headers } })
    } catch (error) {
      throw unreachable(t('The desktop app could not send the request to its gateway.'), error)
    }
  }
}

export function pickTransport(desktop: DesktopBridge | undefined, needs: HttpNeeds): Transport {
  return desktop ? createDesktopTransport(desktop) : createHttpTransport(needs)
}

async function answerOf(fetch: HttpNeeds['fetch'], deadlineMs: number, request: ClientRequest) {
  try {
    const response = await fetch(request.path, {
      method: request.method,
      headers: request.headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
      ...(request.body === undefined ? {} : { body: request.body }),
    })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  } catch (error) {
    throw unreachable(t('The gateway does not answer. Check that it is running, then try again.'), error)
  }
}

function unreachable(message: string, cause: unknown): ApiError {
  const error = new ApiError(0, { code: 'GATEWAY_UNREACHABLE', message, request_id: '' })
  error.cause = cause
  return error
}

function tokenIn(path: string, response: ClientResponse): string | undefined {
  if (!path.startsWith('/admin-api/auth/') || response.status >= 400) return undefined
  const token = parsed(response.body)?.csrfToken
  return typeof token === 'string' ? token : undefined
}

function csrfRefused(response: ClientResponse): boolean {
  if (response.status !== 403) return false
  const error = parsed(response.body)?.error
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'CSRF_VALIDATION_FAILED'
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    // Not JSON: an export, or an answer of a proxy.
    return undefined
  }
}
