// Generated passwords.
import { expect, it } from 'vitest'
import { newPassword } from './PasswordField.tsx'

it('rejects bytes that would bias letters', () => {
  const bytes = [255, 254, 0, 1]
  const password = newPassword((length) => Uint8Array.from({ length }, (_, index) => bytes[index % bytes.length] ?? 0))
  expect(password).toBe('AB'.repeat(12))
})

it('is long and without ambiguous letters', () => {
  const password = newPassword((length) => crypto.getRandomValues(new Uint8Array(length)))
  expect(password).toMatch(/^[A-HJ-NP-Za-km-z2-9]{24}$/)
})
