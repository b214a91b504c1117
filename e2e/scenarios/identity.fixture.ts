// Who asks the admin API: signing in, who is signed in, and users changed by the env admin key.
import { ErrorEnvelope } from '#contract'
import type { Answer, Gateway } from './gateway.fixture.ts'

export const login = (gateway: Gateway, body: unknown): Promise<Answer> =>
  gateway.ask('/admin-api/auth/login', { method: 'POST', body })
export const me = (gateway: Gateway, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  gateway.ask('/admin-api/auth/me', { headers })
export const codeOf = ({ status, json }: Answer): string => `${status} ${ErrorEnvelope.parse(json).error.code}`

export const user = (name: string): string => `/admin-api/users/${name}`
export const change = (gateway: Gateway, name: string, body: unknown): Promise<Answer> =>
  gateway.admin(user(name), { method: 'PATCH', body })
