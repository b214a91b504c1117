// Editors over doubles of Unreal, closed after each test, and how their calls fail.
import { expect, onTestFinished } from 'vitest'
import type { CallContext } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import { type Double, type DoubleOptions, startDouble } from './double.fixture.ts'
import { openUnrealEditor, type UnrealEditor, type UnrealOptions } from './index.ts'

export const WHO: CallContext = { actor: 'test', source: 'mcp' }

export async function double(options: DoubleOptions): Promise<Double> {
  const started = await startDouble(options)
  onTestFinished(() => started.dispose())
  return started
}

export function editor(options: UnrealOptions): UnrealEditor {
  const made = openUnrealEditor(options)
  onTestFinished(() => made.close())
  return made
}

export async function fails(work: Promise<unknown>): Promise<PcgError> {
  const reason: unknown = await work.then(
    (value) => new Error(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (reason instanceof PcgError) return reason
  throw reason
}

export const until = async (what: () => boolean) => {
  for (let i = 0; i < 600 && !what(); i += 1) await new Promise((resolve) => setTimeout(resolve, 25))
  expect(what()).toBe(true)
}

export const types = (from: UnrealEditor) => from.tools.list_pcg_node_types({}, WHO)
