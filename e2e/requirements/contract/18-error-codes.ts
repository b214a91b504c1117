// Section 18: error codes. The scenario over codes reads the statuses.
import { type Rule, rows, rule, rules } from '../rule.ts'

// code, line, status, work that shows when it is answered (or -), when
const TABLE = `
  VALIDATION_ERROR              1199  400  -              A body or query that fails its schema answers it, naming each path.
  INVALID_JSON                  1200  400  -              A body that is not JSON answers it.
  JSON_TOO_DEEP                 1200  400  -              A body that is too deep answers it.
  INVALID_NAME                  1201  400  -              A name against its rule answers it.
  INVALID_SLUG                  1201  400  -              A catalog slug against its rule answers it.
  INVALID_URL                   1201  400  -              A malformed URL or scheme answers it.
  SSRF_BLOCKED                  1202  400  -              A URL that resolves to a disallowed address or to none answers it.
  DISCOVERY_ERROR               1203  400  -              Discovery that fails or finds nothing answers it with its stage.
  UNKNOWN_TOOL                  1204  400  -              A selection that names a tool that does not exist answers it with what is missing.
  UNKNOWN_COMPOSITE             1204  400  -              A bundle that names a composite that does not exist answers it.
  INVALID_SCHEMA                1205  400  -              An invalid composite schema answers it.
  INVALID_STEPS                 1205  400  -              Steps or templates that cannot work answer it.
  INVALID_ARGS                  1205  400  -              Example arguments against the schema answer it.
  INVALID_CRON                  1206  400  -              An invalid cron text answers it.
  INVALID_TARGET                1206  400  -              An invalid schedule target answers it.
  UNSAFE_PATTERN                1207  400  -              A deny pattern that does not compile or can backtrack answers it.
  NOT_APPLICABLE                1208  400  -              A feature that the kind of tool cannot have answers it.
  EXAMPLE_NOT_FOUND             1209  404  -              An unknown example answers it, 400 when a monitor names it.
  IMPORT_ERROR                  1210  400  -              A config document that is unusable answers it.
  UNSUPPORTED_VERSION           1210  400  -              A config document of another version answers it.
  WEAK_PASSWORD                 1211  400  -              A password against its rule answers it.
  INVALID_SESSION_ID            1212  400  -              A session id that does not open answers it.
  SESSION_REQUIRED              1213  400  -              A missing session answers it where one is needed.
  INVALID_REQUEST               1213  400  -              A body that is not JSON-RPC answers it.
  PARSE_ERROR                   1213  400  -              A body that is not JSON answers it on MCP.
  UNSUPPORTED_PROTOCOL_VERSION  1213  400  -              An unsupported version header answers it.
  UNAUTHORIZED                  1214  401  -              No credential or a dead one answers it.
  INVALID_CREDENTIALS           1215  401  -              A rejected login or current password answers it.
  FORBIDDEN                     1216  403  -              A role too low and a superadmin route answer it.
  CSRF_VALIDATION_FAILED        1217  403  -              A session mutation without the right token answers it.
  ORIGIN_NOT_ALLOWED            1218  403  -              A foreign Origin answers it.
  HOST_NOT_ALLOWED              1218  403  -              A foreign Host answers it.
  KEY_SCOPE                     1219  403  -              A surface-bound key elsewhere answers it.
  IMMUTABLE_ENTRY               1220  403  -              A change of a built-in catalog entry answers it.
  SELF_APPROVAL                 1221  403  -              Deciding the own request answers it.
  NOT_AN_APPROVER               1221  403  -              Deciding without being an approver answers it.
  NOT_FOUND                     1222  404  -              No such route and a feature switched off answer it.
  CLIENT_NOT_FOUND              1223  404  -              An absent or foreign backend answers it.
  TOOL_NOT_FOUND                1223  404  -              An absent or foreign tool answers it.
  BUNDLE_NOT_FOUND              1223  404  -              An absent or foreign bundle answers it.
  COMPOSITE_NOT_FOUND           1223  404  -              An absent or foreign composite answers it.
  MCP_KEY_NOT_FOUND             1223  404  -              An absent or foreign key answers it.
  CONSUMER_NOT_FOUND            1223  404  -              An absent or foreign consumer answers it.
  POLICY_NOT_FOUND              1223  404  -              An absent or foreign policy answers it.
  USER_NOT_FOUND                1223  404  -              An absent user answers it.
  TEAM_NOT_FOUND                1223  404  -              An absent or foreign team answers it.
  SCHEDULE_NOT_FOUND            1223  404  -              An absent or foreign schedule answers it.
  ALERT_NOT_FOUND               1223  404  -              An absent or foreign alert answers it.
  APPROVAL_NOT_FOUND            1223  404  -              An absent or foreign approval answers it.
  CATALOG_ENTRY_NOT_FOUND       1223  404  -              An absent catalog entry answers it.
  INSTALL_LINK_NOT_FOUND        1223  404  -              An absent or dead install link answers it.
  SNAPSHOT_NOT_FOUND            1223  404  -              An absent snapshot answers it.
  TRAFFIC_NOT_FOUND             1223  404  -              An absent traffic row answers it.
  TRACE_NOT_FOUND               1223  404  -              An absent trace answers it.
  TARGET_NOT_FOUND              1223  404  -       An absent balancing target answers it.
  WS_PROXY_TARGET_NOT_FOUND     1223  404  -              An absent WebSocket target answers it.
  EDITOR_NOT_FOUND              1223  404  -              An absent editor answers it.
  SESSION_NOT_FOUND             1223  404  -              An absent or foreign session answers it.
  NOT_CONFIGURED                1224  404  -       A feature without configuration answers it.
  SSO_NOT_CONFIGURED            1225  404  -              SSO that is off answers it.
  METHOD_NOT_ALLOWED            1226  405  -              A method the path does not have answers it with Allow.
  NOT_ACCEPTABLE                1227  406  -              An Accept that admits neither form answers it.
  ALREADY_EXISTS                1228  409  -              A name that is taken answers it.
  CONSUMER_EXISTS               1228  409  -              A consumer name that is taken answers it.
  POLICY_EXISTS                 1228  409  -              A policy name that is taken answers it.
  USER_EXISTS                   1228  409  -              A user name that is taken answers it.
  NAME_COLLISION                1229  409  -              A name taken by another kind answers it.
  TOOL_ALIAS_CONFLICT           1230  409  -              An alias that is taken answers it.
  ALREADY_REVOKED               1231  409  -              Revoking twice answers it.
  NOT_PENDING                   1231  409  -              Deciding a decided ticket answers it.
  ALREADY_DECIDED               1231  409  -              The same person deciding again answers it.
  CLIENT_NOT_LIVE               1232  409  -              What needs the live backend answers it.
  TOOL_NOT_LIVE                 1232  409  -              What needs the live tool answers it.
  NOT_REST                      1233  409  -       A REST-only feature elsewhere answers it.
  NOT_REDISCOVERABLE            1233  409  -              A source that cannot be read again answers it.
  EMPTY_BUNDLE                  1234  409  -              A link for an empty bundle answers it.
  TEAM_NOT_EMPTY                1234  409  -              Deleting a team that owns records answers it.
  IN_USE                        1234  409  -              Deleting what is referenced answers it.
  LIMIT_REACHED                 1234  409  -              A count beyond its cap answers it.
  LAST_ADMIN_PROTECTED          1235  409  -              What would leave no active admin answers it.
  LAST_SUPERADMIN_PROTECTED     1235  409  -              What would leave no teamless admin answers it.
  MANAGED_BY_ENV                1236  409  -              Changing what the environment sets answers it.
  SSO_USER                      1236  409  -              A password for an SSO user answers it.
  IMMUTABLE_FIELD               1236  409  -              Changing an immutable field answers it.
  ARGS_REDACTED                 1236  409  -              Replaying redacted arguments answers it.
  NOT_UNDOABLE                  1236  409  -              Undoing what cannot be answers it.
  EDITOR_BUSY                   1236  409  -              A full editor queue answers it.
  STREAM_EXISTS                 1236  409  -              A second stream of a session answers it.
  PRECONDITION_FAILED           1237  412  -              A revision that is another answers it with the current one.
  PAYLOAD_TOO_LARGE             1238  413  -              A body too large answers it.
  UNSUPPORTED_MEDIA_TYPE        1238  415  -              A body of another type answers it.
  IDEMPOTENCY_CONFLICT          1239  422  -              A key used again with another body answers it.
  RATE_LIMITED                  1240  429  -              A budget used up answers it with limit, window, tier and when to retry.
  INTERNAL_ERROR                1241  500  -              A defect answers it, the cause only in the log.
  BACKUP_FAILED                 1241  500  -              A database copy that fails answers it.
  NOT_SUPPORTED                 1242  501  -              What this database cannot do answers it.
  SECRET_BOX_NOT_CONFIGURED     1242  501  -       Storing a secret without a key answers it.
  SECRETS_PROVIDER_ERROR        1243  502  -       A failing key service answers it.
  SSO_DISCOVERY_FAILED          1243  502  -              An unreachable identity provider answers it.
  WEBHOOK_FAILED                1243  502  -              A failed test delivery answers it.
  EDITOR_UNAVAILABLE            1243  502  -              An unreachable editor answers it.
  DATABASE_UNAVAILABLE          1244  503  -              A database that does not respond in time answers it; the contract names no code for it.
  SESSION_CAPACITY              1244  503  -              MCP sessions at capacity answer it.
  QUERY_CAPACITY                1244  503  -              Too many searches at once, or one past its deadline, answer it.
  SHUTTING_DOWN                 1244  503  -              A gateway that drains answers it.
`

const codes = rows(TABLE, 5).map(([code = '', line = '', status = '', work = '', when = '']) => ({
  code,
  line,
  status: Number(status),
  work,
  when,
}))

export const ERROR_CODES: readonly { readonly code: string; readonly status: number }[] = codes

export const errorCodes: readonly Rule[] = [
  rule('ct.18.stable', '1195', '-', 'The codes are exactly the listed ones and each has its status.'),
  ...codes.map(({ code, line, status, work, when }) =>
    rule(`ct.18.${code.toLowerCase()}`, line, work, `${code} (${status}): ${when}`),
  ),
  ...rules(
    'ct.18.call',
    `
    refusals       1246  -       A refusal carries one of the listed lower-case codes.
    control-plane  1246  -       The control plane adds role_required, env_bearer_required and invalid_arguments.
    prompts        1246  -       Prompt errors carry their codes.
    case           1246  -       Lower-case codes are decisions about a call, upper-case codes API errors.
  `,
  ),
]
