// The first key of the data plane, created at the first start, because the data plane is closed without keys.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Services } from './services.ts'

const LABEL = 'This computer'
const Listed = z.object({ items: z.array(z.unknown()) })
const Minted = z.object({ key: z.string() })

const purposeKey = (key: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'gantry agent key v1', 32))

function seal(text: string, key: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', purposeKey(key), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

function unseal(sealed: Buffer, key: string): string {
  const decipher = createDecipheriv('aes-256-gcm', purposeKey(key), sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(12, 28))
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
}

export type AgentKey = ReturnType<typeof createAgentKey>

/** Without a key that seals, the file is not written, and the minted key is known until the application ends. */
export function createAgentKey(
  file: string,
  sealedBy: () => Promise<string | undefined>,
  admin: Services['adminRequest'],
) {
  let minted: string | null = null
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await admin({ method, path, headers: {}, ...sent })
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}`)
    return JSON.parse(answer.body)
  }
  return {
    /** Mints it when no key was ever made here. */
    async ensure(): Promise<void> {
      if (minted !== null || existsSync(file)) return
      if (Listed.parse(await ask('GET', '/admin-api/mcp-keys?limit=1')).items.length > 0) return
      minted = Minted.parse(await ask('POST', '/admin-api/mcp-keys', { label: LABEL })).key
      const key = await sealedBy()
      if (key !== undefined) writeFileSync(file, seal(minted, key), { mode: 0o600 })
    },
    async read(): Promise<string | null> {
      const key = await sealedBy()
      if (minted !== null || key === undefined || !existsSync(file)) return minted
      try {
        return unseal(readFileSync(file), key)
      } catch {
        // Sealed by a key that is gone: another is minted on the page Keys.
        return null
      }
    },
  }
}
