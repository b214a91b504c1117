// Section 15: tracing.
import { rules } from '../rule.ts'

export const tracing = rules(
  'ct.15',
  `
  span           1096  -              One client span per call, a composite's steps as children, retries and hits as events.
  export         1097  -              Spans go to the endpoint by batch and time, and failures are dropped.
  resource       1098  -              The resource names service, version and instance, and the status follows the outcome.
  names          1101  -              mcp.tool, mcp.client and mcp.tool.name name the call.
  surface        1102  -              mcp.surface, mcp.bundle and mcp.session_id tell where it came from.
  is_error       1103  -              mcp.tool.is_error is a boolean.
  deny           1104  -              mcp.deny_code and mcp.deny_gate are there only on refusals.
  failure_kind   1105  -              gantry.failure_kind is there only on failures.
  principal      1106  -              Request id, kind of principal and key id are attributes.
  numbers        1107  -              Attempts, cache, target, bytes and overhead are attributes.
  http           1108  -              Method, status and address are attributes of REST and GraphQL calls.
  step           1109  -              mcp.step is the index of a composite step.
  no-arguments   1110  -              Arguments and results are never attributes.
`,
)
