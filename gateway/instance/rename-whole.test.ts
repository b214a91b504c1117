import { expect, it } from 'vitest'
import { renameWhole } from './rename-whole.ts'

/** A file that another program holds for the first tries. */
function held(times: number, code = 'EPERM') {
  let tries = 0
  return async (): Promise<void> => {
    tries += 1
    if (tries <= times) throw Object.assign(new Error(code), { code })
  }
}

it('a file that a scanner holds for a moment is renamed on Windows; any other fault is an error at once', async () => {
  await renameWhole('a', 'b', true, held(2))
  await expect(renameWhole('a', 'b', true, held(1, 'ENOENT'))).rejects.toThrow('ENOENT')
  await expect(renameWhole('a', 'b', false, held(1))).rejects.toThrow('EPERM')
})
