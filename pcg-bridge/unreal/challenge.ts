// Proof before arguments: a peer that claims to be the editor of a project must read a secret in that project's folder.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { PcgError } from '../editor/editor.ts'
import { isRecord, type Json } from './bounded-json.ts'

/** Calls one operation of the program in the editor, without any session. */
export type OpenCall = (op: 'prove' | 'adopt', args: Json) => Promise<unknown>

function seal(secret: string, who: 'bridge' | 'editor', nonce: string, project: string): string {
  return createHmac('sha256', secret).update(`${who}\n${nonce}\n${project}`).digest('hex')
}

async function ownProject(project: string, projectFile: string): Promise<boolean> {
  try {
    const folder = await stat(project)
    const file = await stat(path.join(project, path.basename(projectFile)))
    // A folder of another user could be read by that user: it would prove nothing.
    const own = process.getuid === undefined || folder.uid === process.getuid()
    return folder.isDirectory() && file.isFile() && own && projectFile.endsWith('.uproject')
  } catch {
    return false
  }
}

/** Answers false when this machine does not see the project; throws when the proof is wrong. */
export async function proveEditor(
  call: OpenCall,
  claim: { readonly project: string; readonly projectFile: string },
  session: string,
): Promise<boolean> {
  if (!(await ownProject(claim.project, claim.projectFile))) return false
  const folder = path.join(claim.project, 'Saved', 'PcgBridge')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const [name, secret, nonce] = [16, 32, 32].map((size) => randomBytes(size).toString('hex')) as [
    string,
    string,
    string,
  ]
  const file = path.join(folder, `${name}.key`)
  await writeFile(file, secret, { mode: 0o600, flag: 'wx' })
  try {
    const proof = seal(secret, 'bridge', nonce, claim.project)
    const answer = await call('prove', { file: `${name}.key`, nonce, proof, session })
    const shown = Buffer.from(String(isRecord(answer) ? answer['proof'] : ''))
    const expected = Buffer.from(seal(secret, 'editor', nonce, claim.project))
    if (shown.length === expected.length && timingSafeEqual(shown, expected)) return true
  } finally {
    await rm(file, { force: true })
  }
  throw new PcgError(
    'EDITOR_UNAVAILABLE',
    `What answers claims to be the editor of ${claim.project} but cannot read that folder: nothing was sent to it`,
  )
}
