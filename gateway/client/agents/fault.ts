// Why an agent's file is left as it is. The message says what to do; it never holds what stands in the file.
export const AGENT_FAULTS = [
  'FILE_UNREADABLE',
  'FILE_TOO_LARGE',
  'FILE_IS_LINK',
  'FILE_READ_ONLY',
  'FILE_CHANGED',
  'NAME_TAKEN',
  'NAME_INVALID',
  'NO_SUCH_ENTRY',
  'NODE_MISSING',
  'NOTHING_TO_UNDO',
  'GATEWAY_STOPPED',
  'KEY_NOT_REVOKED',
] as const
export type AgentFaultCode = (typeof AGENT_FAULTS)[number]

export class AgentFault extends Error {
  readonly code: AgentFaultCode
  constructor(code: AgentFaultCode, message: string) {
    super(message)
    this.name = 'AgentFault'
    this.code = code
  }
}
