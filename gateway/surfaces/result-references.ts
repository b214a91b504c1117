// Arguments that refer to a kept result: `{"$ref": "result:…#/items/0/id"}` stands for the value there, which the model has not seen.
import { parseJson } from '../http/json-body.ts'
import { isObject } from '../mcp/json-rpc.ts'
import type { KeptResults, Owner } from '../pipeline/4-answers/kept-results.ts'

const REFERENCE = /^(result:[\w-]{22})#((?:\/[^/]*)*)$/
const MOST_REFERENCES = 20

type Holder = Record<string, unknown> | unknown[]
type Place = { readonly holder: Holder; readonly key: string | number; readonly reference: string }
export type Resolved = {
  readonly args: Record<string, unknown>
  /** Why they cannot be used. */
  readonly problem?: string
}

const refersTo = (value: unknown): string | undefined => {
  if (!isObject(value)) return undefined
  const { $ref: reference } = value
  const isOne = typeof reference === 'string' && reference.startsWith('result:') && Object.keys(value).length === 1
  return isOne ? reference : undefined
}

function* places(holder: Holder): Generator<Place> {
  for (const [key, value] of Array.isArray(holder) ? holder.entries() : Object.entries(holder)) {
    const reference = refersTo(value)
    if (reference !== undefined) yield { holder, key, reference }
    else if (Array.isArray(value)) yield* places(value)
    else if (isObject(value)) yield* places(value)
  }
}

/** Undefined where they refer to nothing. Guards see the values: a reference is as good as what it stands for. */
export function resolvedArguments(
  results: Pick<KeptResults, 'pick'>,
  owner: Owner,
  given: Readonly<Record<string, unknown>>,
  maxDepth: number,
): Promise<Resolved> | undefined {
  const [first] = places(given)
  return first === undefined ? undefined : resolved(results, owner, structuredClone(given), maxDepth)
}

async function resolved(
  results: Pick<KeptResults, 'pick'>,
  owner: Owner,
  args: Record<string, unknown>,
  maxDepth: number,
): Promise<Resolved> {
  const found = [...places(args)]
  if (found.length > MOST_REFERENCES)
    return { args, problem: `at most ${MOST_REFERENCES} arguments may refer to kept results` }
  for (const { holder, key, reference } of found) {
    const [, handle, pointer = ''] = REFERENCE.exec(reference) ?? []
    if (handle === undefined)
      return { args, problem: 'a reference is a handle, "#" and a JSON pointer, such as result:…#/items/0/id' }
    const answer = await results.pick(handle, owner, pointer)
    if ('problem' in answer) return { args, problem: answer.problem }
    try {
      // Under the limits of what a client sends.
      const value = parseJson(answer.text, maxDepth)
      Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true })
    } catch (error) {
      return { args, problem: `the value at "${pointer.slice(0, 200)}" cannot be an argument: ${String(error)}` }
    }
  }
  return { args }
}
