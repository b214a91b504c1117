// The user's own password and sessions.

import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { wireWord } from '../../ui/wire-words.ts'
import { PasswordCard } from './PasswordCard.tsx'
import { SessionsCard } from './SessionsCard.tsx'

export function AccountPage() {
  const actor = useActor()
  return (
    <div className="max-w-[104rem] pb-10">
      <PageHeader
        title={t('Account')}
        badge={<Badge tone="outline">{wireWord(actor.role)}</Badge>}
        about={t('You are signed in as {name}.', { name: actor.name })}
      />
      <div className="grid items-start gap-4 px-6 lg:grid-cols-[22rem_1fr]">
        <PasswordCard />
        <SessionsCard />
      </div>
    </div>
  )
}
