// Section 3: public and operations routes, start and stop.
import { rules } from '../rule.ts'

export const operations = rules(
  'ct.3',
  `
  health            160  -         GET /health answers status ok and uptime_seconds.
  livez             161  -         GET /livez answers status ok.
  readyz            162  -         GET /readyz answers ready without reasons.
  readyz-db         162  -         GET /readyz answers 503 with db_unavailable when the database does not answer.
  readyz-stop       162  -         GET /readyz answers 503 with shutting_down while stopping.
  readyz-leader     162  -         GET /readyz answers 503 with not_leader without the lease.
  metrics           163  -         GET /metrics answers text exposition 0.0.4 to a viewer.
  metrics-off       163  -         GET /metrics is 404 NOT_FOUND when METRICS_ENABLED is false.
  llms              164  -         GET /llms.txt is text/plain in UTF-8.
  llms-limit        164  -         GET /llms.txt is 429 beyond RATE_LIMIT_LLMS_TXT.
  admin             165  -         GET /admin and below answer the HTML of the application without a credential.
  docs              166  -         GET /docs answers an HTML explorer.
  docs-access       166  -         GET /docs is public in development and needs a viewer otherwise.
  docs-json         166  -         GET /docs answers OpenAPI 3.1 to Accept: application/json.
  docs-files        167  -         /docs/openapi.json and .yaml describe every route that exists.
  install           168  -         GET /install/:token answers 404 INSTALL_LINK_NOT_FOUND to an unknown token.
  well-known        169  -         The protected-resource metadata names resource, authorization server and header method.
  well-known-404    169  -         The metadata is 404 unless JWT_JWKS_URL and JWT_ISSUER are set.
  root              170  -         GET / redirects to /admin with 302.
  ws-proxy          171  -         A WebSocket upgrade answers 101, or 404, 401, 403 and 503 by cause.
  sse               172  -         Anything on /sse and /messages is 404 NOT_FOUND.
  head              173  -         HEAD works wherever GET does.
  exempt            173  -         Probes, /metrics and /llms.txt do not count for RATE_LIMIT_GLOBAL.
  start-line        174  -         The start prints one line with version, host and port.
  bootstrap-line    174  -         A generated first password is one stdout line and appears nowhere else.
  log-lines         174  -         Logs are one object a line with time, level and msg, and request_id inside a request.
  stop-readyz       175  -         On SIGTERM or SIGINT /readyz turns 503 and new requests get 503 SHUTTING_DOWN.
  stop-in-flight    175  -         Requests in flight finish within SHUTDOWN_FORCE_EXIT_MS.
  stop-streams      175  -         Streams are closed at shutdown.
  stop-lease        175  -         The leader lease is released at shutdown.
  stop-exit         175  -         A clean stop exits 0 and a forced one 1.
  llms-text         176  -         /llms.txt is a constant and the base URL, listing the endpoints, how to authenticate and one client entry.
  llms-names        177  -         /llms.txt names no backend, tool, bundle and no setting value.
`,
)
