// How the fields of the admin API are spelled.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ADMIN, type Route } from '#contract'

/** Names the specification gives, and the second spellings it keeps. */
const GIVEN = new Set(
  [
    'prev_hash created_at request_id retry_after uptime_seconds',
    'auth_method csrf_token team_id is_active current_password new_password tool_names',
    'health_url openapi_url curl_input client_collection base_url include_tags exclude_operations',
    'retry_non_safe_methods graphql_url include_mutations mcp_url mcp_transport tools_count',
  ]
    .join(' ')
    .split(' '),
)

/** Every property a schema names, at any depth. */
function namesIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'properties' && typeof value === 'object' && value !== null ? Object.keys(value) : []),
    ...(key === 'default' || key === 'const' || key === 'enum' ? [] : namesIn(value)),
  ])
}

it('is camelCase but for the names that are given [ct.1.2.spelling]', () => {
  const routes: readonly Route[] = Object.values(ADMIN).flatMap((table) => Object.values<Route>(table))
  const schemas = routes.flatMap((route) => [
    ...(route.reply ? [z.toJSONSchema(route.reply, { io: 'input', unrepresentable: 'any' })] : []),
    ...('body' in route && route.body ? [z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' })] : []),
  ])
  const names = new Set(schemas.flatMap(namesIn))
  expect(names.size).toBeGreaterThan(50)
  expect([...names].filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name) && !GIVEN.has(name))).toEqual([])
})
