// Answers of tools in a dry run of a script: given mocks in their order, else what was captured of the tool. No backend is called.
import type { Actor } from '../../contract/role.ts'
import { mayTouch } from '../../contract/role.ts'
import type { CallToolResult, Outcome } from '../../outcome/outcome.ts'
import { createValidator } from '../../pipeline/0-admission/validator.ts'
import { failed } from '../../pipeline/composite/step-result.ts'
import type { StandIn } from '../../pipeline/script/calls.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { canonical } from '../../registry/tool-diff.ts'
import type { Query } from '../../storage/schema.ts'
import { trafficRows } from '../../storage/traffic.ts'

export type Mocks = Readonly<Record<string, readonly unknown[]>>

type Deps = {
  readonly query: Query
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly actor: Actor
  readonly mocks: Mocks
}

const MOST_CAPTURED = 50

function resultOf(value: unknown): CallToolResult {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return { content: [{ type: 'text', text }] }
}

export function createStandIn({ query, registry, actor, mocks }: Deps): StandIn {
  const given = new Map<string, number>()

  function mocked(name: string): Outcome | undefined {
    const results = Object.hasOwn(mocks, name) ? mocks[name] : undefined
    if (results === undefined) return undefined
    const at = given.get(name) ?? 0
    given.set(name, at + 1)
    return { kind: 'ok', result: resultOf(results[Math.min(at, results.length - 1)]) }
  }

  /** That of the same arguments, else the newest. */
  async function captured(client: string, tool: string, args: object): Promise<Outcome | undefined> {
    const wanted = { client, tool, errors: false, teamId: actor.teamId, limit: MOST_CAPTURED, before: undefined }
    const rows = await trafficRows(query, wanted)
    const whole = rows.filter(({ preview, preview_truncated }) => preview !== null && preview_truncated === 0)
    const same = whole.find((row) => row.args !== null && canonical(JSON.parse(row.args)) === canonical(args))
    const preview = (same ?? whole[0])?.preview
    return preview == null ? undefined : { kind: 'ok', result: resultOf(preview) }
  }

  return async (client, name, args) => {
    const backend = registry.known(client)
    const tool = backend && mayTouch(actor, backend) ? backend.tools.get(name) : undefined
    const calledAs = `${client}__${name}`
    if (backend === undefined || tool === undefined)
      return { kind: 'refused', code: 'unknown_tool', text: `Unknown tool: ${calledAs}` }
    const checked = createValidator(tool, backend.kind)(args)
    if (!checked.ok) return failed('invalid_arguments', `Invalid arguments: ${checked.problems.join('; ')}`)
    const answer = mocked(calledAs) ?? (await captured(client, name, checked.args))
    return answer ?? failed('bad_response', `No mock is given for ${calledAs}, and no call of it is captured`)
  }
}
