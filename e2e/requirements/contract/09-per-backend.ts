// Section 9: per-backend features.
import { rules } from '../rule.ts'

export const perBackend = rules(
  'ct.9',
  `
  1.canary        887  -  A canary takes its share of calls, SSRF-checked and pinned at set.
  1.failover      887  -  A failover takes all calls while the primary is open or evicted.
  1.isolated      888  -  A call of the secondary never changes the primary's breaker, and balancing switches it off.
  2.put           890  -  A pool is replaced whole and its strategy read back.
  2.members       891  -  A failed target cools down, and all are eligible when all cool down.
  3.put           893  -         Outbound OAuth keeps its secret when absent and shows none.
  3.token         893  -         A token is cached until shortly before expiry and fetched again once on 401.
  3.failure       893  -         Without a token nothing is sent and the breaker is untouched.
  4.put           895  -  The credential is bearer, basic or an allowed header.
  4.bare          895  -  A credential that cannot be opened fails the call.
  5.guards        897  -         Breaker settings of a backend apply to the live breaker.
  5.health        898  -         Health is healthy, degraded or unreachable by consecutive failures.
  5.evicted       898  -         An evicted backend keeps its configuration, is probed with growing gaps and restored by the first success.
  5.torn-down     898  -         A torn-down backend is not probed and 404 until restart, reconciliation or registration.
  6.credential    900  -         A WebSocket proxy takes the credential by header or subprotocol and forwards none.
  6.caps          900  -         Caps refuse with 503, oversize closes 1009, idle 1001, backend failure 1011, revalidation 1008.
  6.frames        900  -         Frames are relayed, text from the backend sanitized, at most 256 buffered before it opens.
`,
)
