// Section 6: the control plane.
import { rules } from '../rule.ts'

export const controlPlane = [
  ...rules(
    'ct.6.1',
    `
    result  500  access  A sys result is JSON text and the same object as structuredContent.
    error   500  access  A sys error is isError with code, message, request_id and the gate.
    lists   500  access  Lists are items with nextCursor.
  `,
  ),
  ...rules(
    'ct.6.2',
    `
    order        502  access  The four gates are checked centrally and in their order.
    unknown      503  access  An unknown sys tool is unknown_tool.
    tier         503  access  A tool above the tier is hidden and refused role_required with its text.
    schema       504  access  Arguments that break the schema are invalid_arguments.
    scope        505  access  A target out of scope gets the ordinary not-found answer.
    scope-tools  505  access  A key with tools only reaches pairs and no backend.
    scope-register 505 access An out-of-scope name in sys_register_client is CLIENT_NOT_FOUND.
    scope-bundle 505  access  sys_create_bundle checks each pair.
    scope-lists  505  access  Lists are filtered by scope.
    step-up      506  access  Step-up needs __confirm: true or an elevated credential.
    mint         506  access  sys_mint_key needs the env admin Bearer and __confirm, elevated or not.
    audited      507  access  Mutations are audited with the actions of the admin API.
    one-registry 507  access  sys_set_guard goes through the policy registry of the per-tool PATCH.
  `,
  ),
  ...rules(
    'ct.6.3',
    `
    confirm-declared           510  access  A tool with step-up declares __confirm in its schema.
    sys_list_clients           513  access  sys_list_clients filters by q, enabled and status and pages by name.
    sys_get_client             514  access  sys_get_client answers the full backend.
    sys_list_tools             515  access  sys_list_tools filters by client and q and pages at most 1000 by client and tool.
    sys_list_bundles           516  access  sys_list_bundles pages bundles.
    sys_list_keys              517  access  sys_list_keys pages keys and never shows a value or hash.
    sys_metrics                518  access  sys_metrics answers the listed counters since the process started.
    sys_audit_tail             519  access  sys_audit_tail answers up to 200 entries, newest first.
    sys_diagnose               520  access  sys_diagnose takes client and tool, or client__tool, and a window.
    sys_set_client_enabled     521  access  sys_set_client_enabled answers the backend.
    sys_set_tool_enabled       522  access  sys_set_tool_enabled answers client, tool and flag.
    sys_set_guard              523  access  sys_set_guard merges guards or clears them with null.
    sys_reset_circuit_breaker  524  access  sys_reset_circuit_breaker answers the previous state, or CLIENT_NOT_LIVE.
    sys_register_client        525  access  sys_register_client takes a registration payload and warns about unknown fields.
    sys_delete_client          526  access  sys_delete_client answers name and deleted.
    sys_create_bundle          527  access  sys_create_bundle takes no composites and answers the bundle.
    sys_mint_key               528  access  sys_mint_key answers the key value this one time.
    sys_revoke_key             529  access  sys_revoke_key answers id and time, or why not.
    diagnosis                  531  access  A diagnosis has the listed fields.
    diagnosis-denials          539  access  Denials come from the newest 1000 error or refused rows.
    diagnosis-any-state        539  access  Diagnosis works for disabled, evicted and quarantined tools and changes nothing.
  `,
  ),
  ...rules(
    'ct.6.4',
    `
    list                   542  access  prompts/list answers three prompts with their arguments to every role.
    get                    542  access  prompts/get answers constant text with the values in quotes.
    onboard-a-backend      545  access  onboard-a-backend walks from preview to a scoped key.
    diagnose-tool-failure  546  access  diagnose-tool-failure walks from diagnosis to the smallest fix.
    harden-this-client     547  access  harden-this-client walks from review to proposed guard calls.
    not-found              548  access  An unknown prompt is PROMPT_NOT_FOUND.
    unknown                548  access  An undeclared argument is PROMPT_ARGUMENT_UNKNOWN.
    missing                548  access  A missing argument is PROMPT_ARGUMENT_MISSING.
    invalid                548  access  A value that is no string or too long is PROMPT_ARGUMENT_INVALID.
    length                 548  access  Length counts UTF-16 units of the raw value, and control characters become single spaces.
  `,
  ),
]
