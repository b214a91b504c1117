// Teams: who shares which records. Contract 7.6, 10.4.
import { z } from 'zod'
import { Id, Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

const TeamName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 _-]{0,62}$/,
    'must start with a letter or digit and hold at most 63 letters, digits, spaces, _ and -',
  )

export const TeamInput = z.strictObject({ name: TeamName })

export const Team = z.object({
  id: Id,
  name: z.string(),
  clients: z.number().int(),
  users: z.number().int(),
  revision: z.number().int(),
  createdAt: Iso,
  updatedAt: Iso,
  createdBy: z.string().nullable(),
})
export type Team = z.infer<typeof Team>

const one = z.object({ id: z.string() })

export const teams = routes({
  list: {
    method: 'GET',
    path: '/admin-api/teams',
    access: 'viewer',
    summary: 'List teams by name; whoever has a team sees only that one',
    query: z.strictObject(pageQuery()),
    reply: page(Team),
  },
  create: {
    method: 'POST',
    path: '/admin-api/teams',
    access: 'superadmin',
    summary: 'Create a team',
    status: 201,
    body: TeamInput,
    reply: Team,
    audit: 'team.create',
    errors: ['ALREADY_EXISTS'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/teams/:id',
    access: 'viewer',
    summary: 'Read one team',
    params: one,
    reply: Team,
    errors: ['TEAM_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/teams/:id',
    access: 'superadmin',
    summary: 'Rename a team',
    params: one,
    body: z.strictObject({ name: TeamName.optional(), revision: z.number().int().optional() }),
    reply: Team,
    audit: 'team.update',
    errors: ['TEAM_NOT_FOUND', 'ALREADY_EXISTS', 'PRECONDITION_FAILED'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/teams/:id',
    access: 'superadmin',
    summary: 'Delete a team to which nothing belongs',
    status: 204,
    params: one,
    audit: 'team.delete',
    errors: ['TEAM_NOT_FOUND', 'TEAM_NOT_EMPTY', 'PRECONDITION_FAILED'],
  },
})
