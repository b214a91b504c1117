// Step-up: a sensitive tool wants a literal `__confirm: true`, or a caller whose credential is elevated.
import type { Guard } from '../call.ts'

export const confirmation: Guard = ({ reserved, caller, calledAs }) =>
  reserved.confirm || caller.elevated
    ? undefined
    : {
        kind: 'refused',
        code: 'confirm_required',
        text: `Tool '${calledAs}' is sensitive: repeat the call with {"__confirm": true} or use an elevated key.`,
      }
