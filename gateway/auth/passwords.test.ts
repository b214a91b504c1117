import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { createPasswords, requireStrong } from './passwords.ts'

const cheap = createPasswords({ cost: 1 })

describe('a password', () => {
  it('does not match an unknown user, a foreign hash, or another hash', async () => {
    const stored = await cheap.hash('a password never guessed')
    const wrong = [null, '', 'plain', '$2b$10$abcdefghijklmnopqrstuv', stored.replace('ln=1', 'ln=30'), `${stored}x`]
    for (const text of wrong) expect(await cheap.verify('a password never guessed', text)).toBe(false)
    for (const near of ['a password never guesse', 'A password never guessed', ''])
      expect(await cheap.verify(near, stored)).toBe(false)
    expect(await cheap.verify('a password never guessed', stored)).toBe(true)
  })

  it('is stored as a salted hash with its cost [gw.bootstrap.only-hash]', async () => {
    const [one, two] = [await cheap.hash('same words, twice'), await cheap.hash('same words, twice')]
    expect(one).not.toBe(two)
    expect(one).not.toContain('same')
    expect(await createPasswords().hash('x')).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  })

  it('costs little where it was generated, and matches', async () => {
    const stored = await createPasswords().hashGenerated('a password never guessed')
    expect(stored).toMatch(/^\$scrypt\$ln=10,/)
    expect(await createPasswords().verify('a password never guessed', stored)).toBe(true)
    expect(await createPasswords().verify('a password never guesse', stored)).toBe(false)
  })

  it('matches after the cost was raised', async () => {
    const old = await cheap.hash('kept from before')
    expect(await createPasswords({ cost: 4 }).verify('kept from before', old)).toBe(true)
  })

  it('matches in every Unicode composition', async () => {
    expect(await cheap.verify('cafe\u0301 au lait', await cheap.hash('caf\u00e9 au lait'))).toBe(true)
  })

  it('is rejected if equal to the user name or the previous one', () => {
    expect(() => requireStrong('Ada-Lovelace', { username: 'ada-lovelace' })).toThrow('user name')
    expect(() => requireStrong('the same again', { username: 'ada', current: 'the same again' })).toThrow(
      'you have now',
    )
    expect(() => requireStrong('quite another one', { username: 'ada', current: 'the same again' })).not.toThrow()
  })
})

describe('the work (security case AN-13)', () => {
  it('takes the same time for unknown users [ct.7.1.login-timing]', async () => {
    const passwords = createPasswords({ cost: 14 })
    const stored = await passwords.hash('a password never guessed')
    const generated = await passwords.hashGenerated('a password never guessed')
    const spent = async (against: string | null) => {
      const from = process.cpuUsage()
      await passwords.verify('not the password', against)
      const { user, system } = process.cpuUsage(from)
      return user + system
    }
    const [noUser, other, first]: [number[], number[], number[]] = [[], [], []]
    for (let turn = 0; turn < 9; turn++) {
      noUser.push(await spent(null))
      other.push(await spent(stored))
      first.push(await spent(generated))
    }
    // Processor time, not wall time. Without the hash it would be a few hundredths.
    for (const known of [other, first]) {
      const ratio = Math.min(...noUser) / Math.min(...known)
      expect(ratio).toBeGreaterThan(1 / 3)
      expect(ratio).toBeLessThan(3)
    }
  })

  it('leaves the main thread free', async () => {
    const passwords = createPasswords()
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const from = performance.now()
    await Promise.all([passwords.verify('a', null), passwords.verify('b', null), passwords.verify('c', null)])
    const took = performance.now() - from
    delay.disable()
    expect(delay.max / 1e6).toBeLessThan(took)
  })

  it('queues, and rejects requests beyond the limit', async () => {
    const passwords = createPasswords({ cost: 10, maxWaiting: 3 })
    const all = await Promise.allSettled(Array.from({ length: 6 }, (_, at) => passwords.verify(String(at), null)))
    expect(all.map(({ status }) => status)).toEqual([...Array<string>(5).fill('fulfilled'), 'rejected'])
    expect(all[5]).toMatchObject({ reason: { code: 'RATE_LIMITED', extras: { retryAfterMs: 5000 } } })
    expect(await passwords.verify('later', null)).toBe(false)
  })
})
