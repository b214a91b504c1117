// The pages of a backend inside the process, as resources of MCP.
import type { Outcome } from '../../outcome/outcome.ts'
import type { LocalBackend } from '../../registry/backend.ts'
import type { RelayedRequest } from '../call.ts'

/** Both eras have their own code for it; the surface writes that. */
const NOT_FOUND = -32_002

const ok = (relayed: Readonly<Record<string, unknown>>): Outcome => ({ kind: 'ok', result: { content: [] }, relayed })
const fault = (code: number, text: string, data: Readonly<Record<string, unknown>>): Outcome => ({
  kind: 'failed',
  failure: 'upstream_error',
  text,
  retryable: false,
  rpc: { code, data },
})

export function relayLocal(
  { pages = [] }: Pick<LocalBackend, 'pages'>,
  { method }: RelayedRequest,
  { uri }: Readonly<Record<string, unknown>>,
): Outcome {
  switch (method) {
    case 'resources/list':
      return ok({ resources: pages.map(({ text, ...page }) => ({ ...page, size: Buffer.byteLength(text) })) })
    case 'resources/templates/list':
      return ok({ resourceTemplates: [] })
    case 'resources/read': {
      const page = pages.find((each) => each.uri === uri)
      if (!page) return fault(NOT_FOUND, 'Resource not found', { uri })
      const { mimeType, text, _meta } = page
      return ok({ contents: [{ uri, mimeType, text, _meta }] })
    }
    default:
      return fault(-32_601, `Method not found: ${method}`, {})
  }
}
