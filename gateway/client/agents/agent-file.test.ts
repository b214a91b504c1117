// A file of an agent is written whole, and what a killed process left beside it does not stay.
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aFolder } from '../../storage/database.fixture.ts'
import { readAgentFile, writeAgentFile } from './agent-file.ts'

it('removes the copies of a process that was killed, and leaves those of one that is writing', () => {
  const folder = aFolder()
  const file = join(folder, 'mcp.json')
  const [old, young, other] = ['.mcp.json.a.tmp', '.mcp.json.b.tmp', '.other.json.a.tmp']
  for (const name of [old, young, other]) writeFileSync(join(folder, name), '{"key":"secret"}')
  for (const name of [old, other]) utimesSync(join(folder, name), 1, 1)
  writeAgentFile(readAgentFile(file), '{}')
  expect(readdirSync(folder).toSorted()).toEqual([young, other, 'mcp.json'].toSorted())
  expect(readFileSync(file, 'utf8')).toBe('{}')
})
