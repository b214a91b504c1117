// Section 8: per-tool configuration.
import { rules } from '../rule.ts'

export const perTool = [
  ...rules(
    'ct.8.1',
    `
    replace         783  -           A key is replaced whole and null or false removes it; guards and overrides merge.
    transaction     783  -           Everything is validated first and applied in one transaction.
    audit           784  -           Each changed key writes one audit row.
    cache-dropped   784  -           A change drops the cached responses of the tool.
    export          784  -           The same object is what the export holds per tool.
    config-keys     784  -           The detail answers every key, unset ones as null.
    keys            786  -           The object has exactly the listed keys.
    enabled         790  -           A tool is enabled by default.
    sensitive       790  -           Sensitive is true, false, or automatic with null.
    not-applicable  790  -           A key that cannot apply to the tool is 400 NOT_APPLICABLE.
  `,
  ),
  ...rules(
    'ct.8.2',
    `
    bounds      794  -         Guards keep their bounds.
    read        795  -         Guards are read with hashes and ids, never raw keys.
    rate        797  -         Exactly N calls pass in any rolling minute, over all callers or per principal.
    timeout     797  -         The timeout replaces TOOL_CALL_TIMEOUT_MS per attempt.
    allowlist   798  -         Raw keys and ids form one set matched on the presented Bearer.
    hashed      797  -         Raw keys are hashed at the border and never stored or echoed.
    clear       798  -         An empty array or null clears the allowlist.
    absent      798  -         An absent field keeps the allowlist.
    null        798  -         guards null clears all.
  `,
  ),
  ...rules(
    'ct.8.3',
    `
    fields        802  -         Name, title, description, parameter texts and hints can be overridden within their lengths.
    presentation  804  -         Overrides leave the stored definition alone and survive re-discovery.
    unknown-param 804  -         Unknown parameter names are kept and ignored.
  `,
  ),
  ...rules(
    'ct.8.4',
    `
    bounds     808  -         Guardrails hold up to 20 patterns of 200 characters.
    redact     809  -         Redact paths support wildcards at one and any depth.
    patterns   811  -         Deny patterns run over the compact JSON and over each string.
    unsafe     811  -         A pattern that can backtrack is 400 UNSAFE_PATTERN.
    secrets    811  -         blockSecrets finds the listed secret shapes.
    scan       812  -         A suspicious response is wrapped in markers, loses structuredContent and is flagged.
    hits       812  -         Input refusals and flagged responses count for quarantine.
    redacted   813  -         Redaction holds in bodies, structuredContent, captures, cache and summaries.
  `,
  ),
  ...rules(
    'ct.8.5',
    `
    cache-bounds    817  -         Cache settings keep their bounds and defaults.
    coalesce        818  -         Coalescing is per principal unless shared.
    reads-only      820  -         Only reading tools can be cached or coalesced.
    key             820  -         The cache key covers everything the answer depends on, and the caller unless shared.
    never-stored    821  -         Errors, refusals and flagged results are never stored.
    lookup          821  -         The lookup is after the gates and before the breaker.
    lru             821  -         The cache drops the least recently used.
    coalesced       821  -         Identical concurrent calls share one dispatch, each after its own gates and with its own request id.
  `,
  ),
  ...rules(
    'ct.8.6',
    `
    follows   824  -              Without configuration capture follows TRAFFIC_CAPTURE.
    content   824  -              Arguments are stored without reserved ones, redacted, with secret shapes replaced.
    preview   824  -              The preview is text cut to the limit, other blocks as a note.
    refused   824  -              Refused calls are captured as well.
    harmless  824  -              Capture never fails a call.
  `,
  ),
  ...rules(
    'ct.8.7',
    `
    bounds        828  -         Approval settings keep their bounds and defaults.
    flat          830  -         The flat spellings are accepted, both forms at once are 400.
    levels        830  -         More levels than approvers is 400.
    states        831  -         A ticket goes from pending to approved, rejected or expired, and from approved to consumed or expired.
    distinct      831  -         N distinct people approve, one reject is final, and the requester cannot decide.
    binding       832  -         A ticket binds arguments, principal and levels.
    same-ticket   832  -         A repeated pending call returns its ticket.
    once          832  -         A ticket is used at most once.
    queued        835  -         A call without ticket is queued or pending.
    pending       836  -         A pending ticket is refused pending.
    passes        837  -         An approved ticket of the same principal and arguments passes.
    ended         838  -         A rejected, expired or used ticket is refused with that reason.
    mismatch      839  -         A ticket for other arguments or of another principal is refused.
    queue_full    840  -         Beyond APPROVAL_MAX_PENDING no ticket is made.
  `,
  ),
  ...rules(
    'ct.8.8',
    `
    bounds       843  -         Quarantine settings keep their bounds and defaults.
    enters       844  -         Consecutive hits reach the threshold and quarantine the tool.
    clean        844  -         A clean call resets the count and lifts no quarantine.
    actions      844  -         The action blocks, forces approval or only observes.
    recovery     844  -         Recovery is at the end of the cooldown or only by hand.
    persistent   844  -         The state survives a restart.
  `,
  ),
  ...rules(
    'ct.8.9',
    `
    mock-bounds      848  -         Mock settings keep their bounds.
    operations       849  -         A transform sets, removes, renames and copies.
    prototype        850  -         Prototype paths are rejected.
    always           852  -         An always mock answers after the gates without the backend.
    fallback         852  -         A fallback mock answers instead of the listed failures.
    order            852  -         Request operations run on validated arguments, response operations on parsed JSON.
    missing          852  -         A missing source path changes nothing.
  `,
  ),
  ...rules(
    'ct.8.10',
    `
    pagination-bounds  856  -         Pagination settings keep their bounds and defaults.
    streaming-bounds   857  -         Streaming settings keep their bounds and defaults.
    strategies         859  -         Cursor, page, offset and link strategies follow their parameters.
    stops              859  -         Paging stops on its conditions and says truncated.
    result             859  -         The items of all pages are joined in the first page.
    streaming          860  -         A stream is read to its end, event cap or timeout, and answers its events.
    exclusive          860  -         Pagination and streaming together are 400.
  `,
  ),
  ...rules(
    'ct.8.11',
    `
    key        864  -         The key of a model is write-only.
    truncate   866  -         Truncation cuts on a character so that text and marker fit, and drops structuredContent.
    summarize  866  -         A summary gets only cleaned text and falls back to truncation.
    ssrf       867  -         The model URL is SSRF-checked and its key sealed.
  `,
  ),
  ...rules(
    'ct.8.12',
    `
    one-source  870  -              Exactly one of example and arguments is given.
    run         871  -              The leader runs a monitor through the full stack as system.
    states      871  -              Status goes from unknown to ok or fail, with drift beside it.
    failure     871  -              An error, a slow answer or an absent path fails the run.
    webhook     872  -              Failing runs and new drift are posted.
    clears      872  -              Drift changes no tool and is cleared by a new baseline.
  `,
  ),
  ...rules(
    'ct.8.13',
    `
    routing   876  -         Routing overrides balancing and canary for one tool.
    ws        877  -         A WebSocket URL turns a REST tool into a message exchange.
    graphql   878  -         A query replaces the synthesized document.
    progress  879  -         Progress and cancellation can be switched off.
    ws-frames 881  -         The first text frame, or the last of a persistent exchange, is the result; binary is bad_response.
  `,
  ),
]
