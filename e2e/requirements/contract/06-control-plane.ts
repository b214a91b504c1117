// Section 6: the control plane.
import { rules } from '../rule.ts'

export const controlPlane = [
  ...rules(
    'ct.6.1',
    `
    result  500  -       A sys result is JSON text and the same object as structuredContent.
    error   500  -       A sys error is isError with code, message, request_id and the gate.
    lists   500  -       Lists are items with nextCursor.
  `,
  ),
  ...rules(
    'ct.6.2',
    `
    order        502  -       The four gates are checked centrally and in their order.
    unknown      503  -       An unknown sys tool is unknown_tool.
    tier         503  -       A tool above the tier is hidden and refused role_required with its text.
    schema       504  -       Arguments that break the schema are invalid_arguments.
    scope        505  -       A target out of scope gets the ordinary not-found answer.
    scope-tools  505  -       A key with tools only reaches pairs and no backend.
    scope-register 505 -      An out-of-scope name in sys_register_client is CLIENT_NOT_FOUND.
    scope-bundle 505  -       sys_create_bundle checks each pair.
    scope-lists  505  -       Lists are filtered by scope.
    step-up      506  -       Step-up needs __confirm: true or an elevated credential.
    mint         506  -       sys_mint_key needs the env admin Bearer and __confirm, elevated or not.
    audited      507  -       Mutations are audited with the actions of the admin API.
    one-registry 507  -       sys_set_guard goes through the policy registry of the per-tool PATCH.
  `,
  ),
  ...rules(
    'ct.6.3',
    `
    confirm-declared           510  -       A tool with step-up declares __confirm in its schema.
    sys_list_clients           513  -       sys_list_clients filters by q, enabled and status and pages by name.
    sys_get_client             514  -       sys_get_client answers the full backend.
    sys_list_tools             515  -       sys_list_tools filters by client and q and pages at most 1000 by client and tool.
    sys_list_bundles           516  -       sys_list_bundles pages bundles.
    sys_list_keys              517  -       sys_list_keys pages keys and never shows a value or hash.
    sys_metrics                518  -       sys_metrics answers the listed counters since the process started.
    sys_audit_tail             519  -       sys_audit_tail answers up to 200 entries, newest first.
    sys_diagnose               520  -       sys_diagnose takes client and tool, or client__tool, and a window.
    sys_set_client_enabled     521  -       sys_set_client_enabled answers the backend.
    sys_set_tool_enabled       522  -       sys_set_tool_enabled answers client, tool and flag.
    sys_set_guard              523  -       sys_set_guard merges guards or clears them with null.
    sys_reset_circuit_breaker  524  -       sys_reset_circuit_breaker answers the previous state, or CLIENT_NOT_LIVE.
    sys_register_client        525  -       sys_register_client takes a registration payload and warns about unknown fields.
    sys_delete_client          526  -       sys_delete_client answers name and deleted.
    sys_create_bundle          527  -       sys_create_bundle takes no composites and answers the bundle.
    sys_mint_key               528  -       sys_mint_key answers the key value this one time.
    sys_revoke_key             529  -       sys_revoke_key answers id and time, or why not.
    diagnosis                  531  -       A diagnosis has the listed fields.
    diagnosis-denials          539  -       Denials come from the newest 1000 error or refused rows.
    diagnosis-any-state        539  -       Diagnosis works for disabled, evicted and quarantined tools and changes nothing.
  `,
  ),
  ...rules(
    'ct.6.4',
    `
    list                   542  -       prompts/list answers three prompts with their arguments to every role.
    get                    542  -       prompts/get answers constant text with the values in quotes.
    onboard-a-backend      545  -       onboard-a-backend walks from preview to a scoped key.
    diagnose-tool-failure  546  -       diagnose-tool-failure walks from diagnosis to the smallest fix.
    harden-this-client     547  -       harden-this-client walks from review to proposed guard calls.
    not-found              548  -       An unknown prompt is PROMPT_NOT_FOUND.
    unknown                548  -       An undeclared argument is PROMPT_ARGUMENT_UNKNOWN.
    missing                548  -       A missing argument is PROMPT_ARGUMENT_MISSING.
    invalid                548  -       A value that is no string or too long is PROMPT_ARGUMENT_INVALID.
    length                 548  -       Length counts UTF-16 units of the raw value, and control characters become single spaces.
  `,
  ),
]
