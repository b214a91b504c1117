// Section 11: webhooks.
import { rules } from '../rule.ts'

export const webhooks = rules(
  'ct.11',
  `
  1.headers               996   -              A delivery names its event and carries a delivery id and user agent.
  1.signature             996   -              With a signing secret a delivery is signed over time and body.
  1.stored-urls           997   -              URLs stored through the API are SSRF-checked at save and at send, those of the environment are not.
  1.success               997   -              Any 2xx is success and redirects are not followed.
  1.one-attempt           998   -              Alerts and monitors try once, and a failure is counted and affects no call.
  1.sink                  998   -              The audit sink is in order, from a bounded queue, with five attempts.
  1.no-secrets            999   -              Payloads hold no secret, and arguments only redacted where listed.
  2.common                1002  -              Every payload has event, id, timestamp and gateway.
  3.circuit_breaker_open  1007  -              circuit_breaker_open names the open backends and the added ones.
  3.client_unreachable    1008  -              client_unreachable names the backends and their last errors.
  3.error_rate            1009  -              error_rate contains the rate and its bounds.
  3.usage_spike           1010  -              usage_spike contains both rates and the factor.
  3.approval_requested    1011  -              approval_requested contains the ticket without arguments.
  3.synthetic_monitor     1012  -              synthetic_monitor contains status, drift and the difference.
  3.audit                 1013  -              audit carries one entry per delivery, ascending.
  3.schema_drift          1014  -              schema_drift names the tools.
  3.test                  1014  -              A test delivery says test.
`,
)
