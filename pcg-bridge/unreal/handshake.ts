// The first exchange with a peer: load the program, identify the peer, verify its proof, agree on a session.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { PCG_CODES } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import type { Json } from './bounded-json.ts'
import type { Carrier } from './carrier.ts'
import { proveEditor } from './challenge.ts'
import { callProgram, loadProgram, RUNTIME_SHA256, readAnswer, readLoaded, type TurnOf } from './program.ts'

const Identity = z.object({
  project: z.string(),
  project_file: z.string(),
  engine: z.string(),
  pid: z.number(),
  level: z.string().nullable(),
  features: z.record(z.string(), z.boolean()),
  /** Descriptions of tools of the editor's own toolsets; empty before 5.8. */
  tools: z.array(z.unknown()).default([]),
  playing: z.boolean(),
  hash: z.string(),
})
export type Identity = z.output<typeof Identity>

export type Live = {
  readonly carrier: Carrier
  readonly session: string
  readonly identity: Identity
  readonly proof: 'project folder' | 'address'
}

/** The editor has no way to do it: another carrier may. */
export class UnsupportedError extends Error {}
/** The program or the session does not exist (any more): nothing was done. */
export class NotKnownError extends Error {}

export async function perform(
  carrier: Carrier,
  session: string,
  op: string,
  args: Json,
  turn: TurnOf | null = null,
): Promise<unknown> {
  const id = randomBytes(8).toString('hex')
  const answer = readAnswer(await carrier.run(callProgram({ id, session, op, args, turn })), id)
  if (answer.kind === 'value') return answer.value
  if (answer.kind === 'missing') throw new NotKnownError()
  if (answer.kind === 'failure')
    throw new PcgError('EDITOR_ERROR', `The editor failed: ${answer.message.slice(0, 500)}`)
  if (answer.code === 'UNPROVEN') throw new NotKnownError()
  if (answer.code === 'UNSUPPORTED') throw new UnsupportedError(answer.message)
  // An editor that answers is not unavailable, even if it claims so.
  const code = PCG_CODES.find((known) => known === answer.code && known !== 'EDITOR_UNAVAILABLE') ?? 'EDITOR_ERROR'
  throw new PcgError(code, answer.message.slice(0, 2000))
}

/** Loads the program where it is not, and checks the hash the editor computed. */
async function identify(carrier: Carrier): Promise<Identity> {
  const ask = async () => Identity.safeParse(await perform(carrier, '', 'identify', {}))
  let found = await ask().catch((error: unknown) => {
    if (error instanceof NotKnownError) return null
    throw error
  })
  if (found?.data?.hash !== RUNTIME_SHA256) {
    const loaded = readLoaded(await carrier.run(loadProgram()))
    if (loaded !== RUNTIME_SHA256)
      throw new PcgError(
        'EDITOR_UNAVAILABLE',
        'What answers did not load the program as it was sent: it is no Unreal editor',
      )
    found = await ask()
  }
  if (!found?.success || found.data.hash !== RUNTIME_SHA256)
    throw new PcgError('EDITOR_UNAVAILABLE', 'What answers does not say who it is: it is no Unreal editor')
  return found.data
}

function sameFolder(a: string, b: string): boolean {
  return path.resolve(a).toLowerCase() === path.resolve(b).toLowerCase()
}

export async function handshake(
  carrier: Carrier,
  options: { readonly project?: string; readonly acceptUnproven?: boolean },
  bound: string | null,
): Promise<Live> {
  const identity = await identify(carrier)
  const wanted = options.project ?? bound
  if (wanted !== null && !sameFolder(identity.project, wanted))
    throw new PcgError(
      'EDITOR_UNAVAILABLE',
      `The editor of ${identity.project} answers, not that of ${wanted}: nothing was sent to it`,
    )
  const session = randomBytes(16).toString('hex')
  const call = (op: string, args: Json) => perform(carrier, '', op, args)
  if (carrier.local) {
    const claim = { project: identity.project, projectFile: identity.project_file }
    if (await proveEditor(call, claim, session)) return { carrier, session, identity, proof: 'project folder' }
    if (!options.acceptUnproven)
      throw new PcgError(
        'EDITOR_UNAVAILABLE',
        `This machine cannot see ${identity.project}, so the editor cannot be proven: run Gantry where the project is, or set acceptUnproven`,
      )
  }
  await call('adopt', { session })
  return { carrier, session, identity, proof: 'address' }
}
