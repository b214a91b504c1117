// Answers of the control plane: one object, as text and structured content; errors state what, why and what to do. Contract 6.1.
import type { CallToolResult } from '../outcome/outcome.ts'

export type SysError = { readonly code: string; readonly message: string; readonly gate?: string }

export function sysResult(value: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

export function sysError({ code, message, gate }: SysError, requestId: string): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: message }],
    structuredContent: { code, message, request_id: requestId, ...(gate === undefined ? {} : { gate }) },
  }
}
