// How a call reads.
import { expect, it } from 'vitest'
import { callerOf, curlOf, throughOf } from './call-words.ts'

it.each([
  ['mcp-key:2', 'Build farm', 'Build farm'],
  ['mcp-key:2', undefined, 'Key 2'],
  ['jwt:alice', undefined, 'alice'],
  ['bearer:795af68d', undefined, 'Administrator key'],
  ['anonymous', undefined, 'Anonymous'],
  ['mira', undefined, 'mira'],
])('names the caller %s with the label %s: %s', (principal, keyLabel, words) => {
  expect(callerOf(keyLabel === undefined ? { principal } : { principal, keyLabel })).toBe(words)
})

it('says where a call came through', () => {
  expect(throughOf({ surface: 'bundle', bundle: 'level' })).toBe('Bundle level')
  expect(throughOf({ surface: 'door', bundle: null })).toBe('Refused at the door')
  expect(throughOf({ surface: 'new', bundle: null })).toBe('new')
})

it('repeats a call as a shell command, with quotes escaped', () => {
  const command = curlOf({ client: 'shop', tool: 'list' }, 'http://127.0.0.1:1', { name: "it's" })
  expect(command).toContain("curl -X POST 'http://127.0.0.1:1/mcp/shop'")
  expect(command).toContain(String.raw`it'\''s`)
})
