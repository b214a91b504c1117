// Connects agents: those of this computer by click, others by a snippet.
import { hasAgents } from '../../api/agents.ts'
import { t } from '../../language/language.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { AgentsView } from './AgentsView.tsx'
import { ByHand } from './ByHand.tsx'

export function ConnectPage() {
  const here = hasAgents()
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Connect a client')}
        about={
          here
            ? t('Each agent gets its own key, limited to what you choose.')
            : t('Choose the access, mint a key, and paste the filled snippet into the client.')
        }
      />
      {here ? (
        <Tabs
          label={t('How to connect')}
          param="way"
          tabs={[
            { key: 'agents', title: t('On this computer'), body: <AgentsView /> },
            {
              key: 'by-hand',
              title: t('Manually'),
              body: (
                <div className="flex h-full flex-col pt-4">
                  <ByHand />
                </div>
              ),
            },
          ]}
        />
      ) : (
        <ByHand />
      )}
    </div>
  )
}
