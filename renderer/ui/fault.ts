// Message, code and request id of any thrown value.
import { ApiError } from '#contract'

export type Fault = {
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly fields: readonly { readonly path: string; readonly message: string }[]
  readonly retryAfterMs: number | undefined
}

export function faultOf(error: unknown): Fault {
  if (error instanceof ApiError)
    return {
      code: error.code,
      message: error.message,
      requestId: error.requestId,
      fields: error.fields,
      retryAfterMs: error.retryAfterMs,
    }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'PAGE_ERROR', message, requestId: '', fields: [], retryAfterMs: undefined }
}

/** The error of one form field, if the gateway named it. */
export function fieldProblem(error: unknown, path: string): string | undefined {
  return error === undefined || error === null
    ? undefined
    : faultOf(error).fields.find((field) => field.path === path)?.message
}

/** One line that can be pasted into a report. */
export function reportOf({ code, message, requestId }: Fault): string {
  return `${code}: ${message}${requestId ? ` (request ${requestId})` : ''}`
}
