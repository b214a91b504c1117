// What can be added, for the palette: each leads to its page and opens the form there.
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type Access, mayUse } from '#contract'
import { useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
import type { Action } from '../ui/keys/page-actions.ts'

const ADDED: readonly { readonly title: string; readonly to: string; readonly access: Exclude<Access, 'public'> }[] = [
  { title: t('Add a backend'), to: '/add-backend', access: 'operator' },
  { title: t('New {noun}', { noun: t('bundle') }), to: '/bundles', access: 'admin' },
  { title: t('New composite'), to: '/add-composite', access: 'admin' },
  { title: t('New key'), to: '/keys', access: 'admin' },
  { title: t('New user'), to: '/users', access: 'admin' },
  { title: t('New {noun}', { noun: t('team') }), to: '/teams', access: 'superadmin' },
  { title: t('New {noun}', { noun: t('consumer') }), to: '/consumers', access: 'admin' },
  { title: t('New {noun}', { noun: t('budget') }), to: '/budgets', access: 'admin' },
  { title: t('New {noun}', { noun: t('policy') }), to: '/policies', access: 'admin' },
  { title: t('New {noun}', { noun: t('schedule') }), to: '/schedules', access: 'operator' },
  { title: t('New {noun}', { noun: t('alert rule') }), to: '/alerts', access: 'admin' },
]

export function useAddActions(): readonly Action[] {
  const navigate = useNavigate()
  const actor = useActor()
  return ADDED.filter(({ access }) => mayUse(actor, access)).map(({ title, to }) => ({
    title,
    icon: Plus,
    run: () => void navigate({ to, search: { new: '1' } }),
  }))
}
