/** The operations and how each is called. Written by `npm run docs` from the contract. */
import type { CallOptions, SendOptions } from './call.js';
import type { Route } from './route.js';
import type { Account, AddDomainRequest, ApiDomain, ApiDomainList, ApiMap, Campaign, CampaignCreated, CampaignDeleted, CampaignList, CampaignRequest, CampaignSent, CampaignStats, CampaignTested, CampaignUpdate, CapturedDeleted, CapturedList, CapturedMail, ContactErased, ContactExport, DeleteCapturedMailsQuery, DuplicateCampaignRequest, Email, EmailBatch, EmailDetail, EmailList, EmailReference, EmailRequest, EmailUpdate, EventList, GetStatsQuery, ListCampaignsQuery, ListCapturedMailsQuery, ListEmailsQuery, ListEventsQuery, ListRequestsQuery, ListSubscriberImportsQuery, ListSubscribersQuery, ListSuppressionQuery, ListWebhookDeliveriesQuery, ListWebhooksQuery, RangeReplay, RangeReplayRequest, RequestList, RescheduledEmail, RotateWebhookSecretQuery, ScheduleCampaignRequest, SendCampaignQuery, SendDraftTestRequest, Stats, SubscriberBatch, SubscriberDetail, SubscriberImport, SubscriberImportList, SubscriberImportRequest, SubscriberList, SubscriberRequest, SubscriberResult, SuppressionEntry, SuppressionList, SuppressionRequest, Unsubscribed, Webhook, WebhookDeleted, WebhookDeliveryList, WebhookList, WebhookReplay, WebhookRequest, WebhookTest, WebhookUpdate, WebhookWithSecret } from './schemas.js';
/** One method for each operation. */
export interface Client {
    /** Map of the API. Entry points, permissions and where the documentation is. Needs no key. No key needed; `GET /api/v1`. */
    getApiMap: (options?: CallOptions) => Promise<ApiMap>;
    /** The workspace of the key. Workspace, permissions, plan and what is left of it, verified domains, senders, state of sending. Any key; `GET /api/v1/me`. */
    getAccount: (options?: CallOptions) => Promise<Account>;
    /** Read the figures of each day. The mails of the workspace, single ones and those of campaigns, by the day on which they were accepted and by what became of them, as the overview counts them. Days are of the workspace’s time zone. Of the last thirty days; earlier ones are not answered. Opens and clicks are those of a campaign and of a message. Permission `campaigns:read`; `GET /api/v1/stats`. */
    getStats: (query?: GetStatsQuery, options?: CallOptions) => Promise<Stats>;
    /** Send a message. One message to 1 to 50 recipients. Accepted means stored and on its way; read its outcome later. A suppressed recipient refuses the whole call. Permission `emails:send`; `POST /api/v1/emails`. */
    sendEmail: (body: EmailRequest, options?: SendOptions) => Promise<Email>;
    /** Send up to 100 messages. All or nothing: one message that breaks a rule refuses the call. Once the call is accepted each message has its own end. One Idempotency-Key stands for the whole. Permission `emails:send`; `POST /api/v1/emails/batch`. */
    sendEmailBatch: (body: EmailRequest[], options?: SendOptions) => Promise<EmailBatch>;
    /** List messages. Newest first, with filters by status, recipient, tag and date. Permission `emails:send`; `GET /api/v1/emails`. */
    listEmails: (query?: ListEmailsQuery, options?: CallOptions) => Promise<EmailList>;
    /** Read a message. The message and what became of it, for each recipient. Permission `emails:send`; `GET /api/v1/emails/{id}`. */
    getEmail: (id: string, options?: CallOptions) => Promise<EmailDetail>;
    /** Move a scheduled message. Sets another time for a message that has not begun to leave. Permission `emails:send`; `PATCH /api/v1/emails/{id}`. */
    updateEmail: (id: string, body: EmailUpdate, options?: CallOptions) => Promise<RescheduledEmail>;
    /** Cancel a scheduled message. Stops a scheduled message that has not begun to leave; its quota is given back. Permission `emails:send`; `POST /api/v1/emails/{id}/cancel`. */
    cancelEmail: (id: string, options?: CallOptions) => Promise<EmailReference>;
    /** List captured mails, or wait for one. Newest first. What matches is answered at once; with `wait`, a call that finds nothing answers when a mail comes, or empty when the time is over. 404 while a provider of the workspace delivers for real. Mails that give access to the pages of this service, such as invitations, are never among them. `to` and `subject` search the newest 10000 mails. Permission `captured:read`; `GET /api/v1/captured`. */
    listCapturedMails: (query?: ListCapturedMailsQuery, options?: CallOptions) => Promise<CapturedList>;
    /** Delete captured mails. Those to an address, with a subject, or both; `since` leaves out earlier ones. Never without `to` or `subject`. The messages and their outcomes stay. At most 5000 of a call; it is in the audit log. Permission `captured:write`; `DELETE /api/v1/captured`. */
    deleteCapturedMails: (query?: DeleteCapturedMailsQuery, options?: CallOptions) => Promise<CapturedDeleted>;
    /** Read a captured mail. As a mail program reads it, with its links, its files, the code that it has, and facts that decide where it lands. Permission `captured:read`; `GET /api/v1/captured/{id}`. */
    getCapturedMail: (id: string, options?: CallOptions) => Promise<CapturedMail>;
    /** List subscribers. Newest first; `status` and `q` narrow the list. Permission `subscribers:read`; `GET /api/v1/subscribers`. */
    listSubscribers: (query?: ListSubscribersQuery, options?: CallOptions) => Promise<SubscriberList>;
    /** Add or update a subscriber. 201: the contact is new, and `pending` until they confirm by the mail that is sent to them, or `subscribed` at once with `double_opt_in: false`. 200: what was sent is merged into the record that was there, whose status stays. A contact who is suppressed, unsubscribed, bounced or complained is refused: they return only by themselves, through a form. Permission `subscribers:write`; `POST /api/v1/subscribers`. */
    addSubscriber: (body: SubscriberRequest, options?: CallOptions) => Promise<SubscriberResult>;
    /** Add or update up to 1,000 subscribers. Each entry is `POST /subscribers` by itself and has a result of its own, in the order of the list: one that is refused keeps no other from being added. Each is one request of the rate; entries beyond it are refused with `rate_limit_exceeded`, and can be sent again after `details.retry_after` seconds. An address counts once in a batch. Confirmations leave one by one, 60 a minute for a workspace unless the operator sets another pace: `confirmation_at` says when. Permission `subscribers:write`; `POST /api/v1/subscribers/batch`. */
    addSubscriberBatch: (body: SubscriberRequest[], options?: SendOptions) => Promise<SubscriberBatch>;
    /** Import a file of subscribers. A worker stores its lines, as those of a file that a user uploads: contacts who left, by the file or by what is known here, are refused and counted, and nobody who left is subscribed again. Lines that say `pending` stay so and get no mail. A word of a status, or a divider of tags, that is not known ends the import before its first line: its `unknown_words` and `unknown_separators` say what to answer by `status_words` and `tag_separators` of another call. Confirmations that would leave in more than 24 hours refuse their lines (`confirmations`), and 429 refuses a file that comes while others wait that long. It is in the audit log. Permission `subscribers:write`; `POST /api/v1/subscribers/imports`. */
    createSubscriberImport: (body: SubscriberImportRequest, options?: SendOptions) => Promise<SubscriberImport>;
    /** List imports of subscribers. Those of thirty days, newest first, of users and of commands too. Permission `subscribers:read`; `GET /api/v1/subscribers/imports`. */
    listSubscriberImports: (query?: ListSubscriberImportsQuery, options?: CallOptions) => Promise<SubscriberImportList>;
    /** Read an import of subscribers. How far it is, its counts, and its first refused lines. Permission `subscribers:read`; `GET /api/v1/subscribers/imports/{id}`. */
    getSubscriberImport: (id: string, options?: CallOptions) => Promise<SubscriberImport>;
    /** Read a subscriber. The record of one address, with the topics and the language that the contact chose. Permission `subscribers:read`; `GET /api/v1/subscribers/{email}`. */
    getSubscriber: (email: string, options?: CallOptions) => Promise<SubscriberDetail>;
    /** Unsubscribe a subscriber. Suppresses the address with reason `unsubscribe`: from the answer on, nothing more leaves for it. The record stays. Permission `subscribers:write`; `DELETE /api/v1/subscribers/{email}`. */
    removeSubscriber: (email: string, options?: CallOptions) => Promise<Unsubscribed>;
    /** Export a contact. Everything that the workspace knows about one address, which need not be a subscriber: record, evidence of consent, mails with their outcomes, opens and clicks, suppression. It is in the audit log. 404 when nothing is known. Permission `subscribers:export`; `GET /api/v1/subscribers/{email}/export`. */
    exportSubscriber: (email: string, options?: CallOptions) => Promise<ContactExport>;
    /** Erase a contact. For good: everything that names the address goes, counts stay. If it was suppressed, a digest keeps it suppressed. Otherwise it may be added again. 409 `conflict` (`being_sent`) while a mail to it is leaving: call again in a minute. 404 when nothing is known. The audit log says that a contact was erased, not which one. Permission `subscribers:erase`; `POST /api/v1/subscribers/{email}/erase`. */
    eraseSubscriber: (email: string, options?: CallOptions) => Promise<ContactErased>;
    /** List suppressed addresses. Newest first; `email` checks one address, exclusions of the whole platform included. Permission `subscribers:read`; `GET /api/v1/suppression`. */
    listSuppression: (query?: ListSuppressionQuery, options?: CallOptions) => Promise<SuppressionList>;
    /** Suppress an address. From the answer on, nothing more leaves for this address. No call of this API takes it back. Permission `subscribers:write`; `POST /api/v1/suppression`. */
    addSuppression: (body: SuppressionRequest, options?: CallOptions) => Promise<SuppressionEntry>;
    /** List campaigns. Newest first, all of them or those of one status. Permission `campaigns:read`; `GET /api/v1/campaigns`. */
    listCampaigns: (query?: ListCampaignsQuery, options?: CallOptions) => Promise<CampaignList>;
    /** Create a campaign. A draft: nothing is sent. `from` must be on a verified domain (422) and be a sender of the workspace (404); a draft may wait for the first sender. Permission `campaigns:write`; `POST /api/v1/campaigns`. */
    createCampaign: (body: CampaignRequest, options?: CallOptions) => Promise<CampaignCreated>;
    /** Read a campaign. Where it stands, how far the hand-off is, and what came of it. Permission `campaigns:read`; `GET /api/v1/campaigns/{id}`. */
    getCampaign: (id: string, options?: CallOptions) => Promise<Campaign>;
    /** Change a draft. The result is checked as a new campaign is. 409 `conflict` for any other status, and for a draft that a user left unfinished in the editor, unless the call brings its content. Permission `campaigns:write`; `PATCH /api/v1/campaigns/{id}`. */
    updateCampaign: (id: string, body: CampaignUpdate, options?: CallOptions) => Promise<Campaign>;
    /** Delete a draft. A campaign that never left is gone for good, its note too. Its audit entries, test mails and images stay. 409 `conflict` for any other campaign. Permission `campaigns:write`; `DELETE /api/v1/campaigns/{id}`. */
    deleteCampaign: (id: string, options?: CallOptions) => Promise<CampaignDeleted>;
    /** Make a new draft of a campaign. Copies its content, sender and tracking, and none of its results. Permission `campaigns:write`; `POST /api/v1/campaigns/{id}/duplicate`. */
    duplicateCampaign: (id: string, body: DuplicateCampaignRequest, options?: CallOptions) => Promise<Campaign>;
    /** Check a draft before it is sent. Its errors, its warnings, and whom it would reach. Requests each link once. Sends nothing. A key gets 409 `conflict` for a draft that is unfinished in the editor. Permission `campaigns:write`; `POST /api/v1/campaigns/{id}/preflight`. */
    preflightDraft: (id: string, options?: CallOptions) => Promise<{
        object: 'campaign_preflight';
        id: string;
        /** Of the draft that was checked. */
        version: number;
        /** What keeps it from being sent. */
        problems: ({
            /** `subject`, `content.3.href`. */
            path: string;
            rule: string;
            /** Of the block, from 0. */
            index?: number | undefined;
            /** Inside columns: block, column, block in it. */
            indexes?: number[] | undefined;
            limit?: number | undefined;
            /** The refused value. */
            value?: string | undefined;
            /** The character that may not stand there, as `U+202E`. */
            found?: string | undefined;
            /** What may stand in its place. */
            allowed?: unknown[] | undefined;
        })[];
        findings: ({
            check: string;
            status: 'ok' | 'warning' | 'problem';
            reason: string;
            details: Record<string, string | number>;
        })[];
        audience: {
            /** Whom a send would reach now. */
            reachable: number;
            notReached: ({
                reason: string;
                name: string | null;
                count: number;
                more: boolean;
            })[];
        };
    }>;
    /** Send a test. One copy, marked as a test, to each of at most 5 addresses: members of the workspace, and subscribers who confirmed their address by the link in their mail. All of them or none. The copies count in the quota. Permission `campaigns:write`; `POST /api/v1/campaigns/{id}/test`. */
    sendDraftTest: (id: string, body: SendDraftTestRequest, options?: CallOptions) => Promise<CampaignTested>;
    /** Set when a campaign is sent. A draft is scheduled, a scheduled one moved. Goes to all who are subscribed at that time. One for which a member chose an audience is 409 `conflict` with `details.reason` `targeted`, and one that a second member has not approved, where the workspace demands it, `approval_required`. Permission `campaigns:write`; `POST /api/v1/campaigns/{id}/schedule`. */
    scheduleCampaign: (id: string, body: ScheduleCampaignRequest, options?: CallOptions) => Promise<Campaign>;
    /** Take a schedule back. The campaign is a draft again. Permission `campaigns:write`; `POST /api/v1/campaigns/{id}/unschedule`. */
    unscheduleCampaign: (id: string, options?: CallOptions) => Promise<Campaign>;
    /** End a campaign on its way. Recipients that it was not sent to end as failed, `cancelled`; the quota gets them back. Permission `campaigns:write`; `POST /api/v1/campaigns/{id}/cancel`. */
    cancelCampaign: (id: string, options?: CallOptions) => Promise<Campaign>;
    /** Send a campaign. Irreversible. Goes to all who are `subscribed` now, minus the suppressed: the list is frozen by this call, and `queued` is its length. A campaign is sent once; duplicate it to send it again. A 422 `validation_error` has the cause in `details.reason`: `quota_exceeded` (with `needed` and `remaining`), `reputation_blocked`, `no_sender`, `no_recipients` or `recipients_differ` (with `confirmed` and `recipients`). A draft for which a member chose an audience is 409 `conflict` with `details.reason` `targeted`, and one that a second member has not approved, where the workspace demands it, `approval_required` (with `recipients` and `above`). Permission `campaigns:write`; `POST /api/v1/campaigns/{id}/send`. */
    sendCampaign: (id: string, query?: SendCampaignQuery, options?: CallOptions) => Promise<CampaignSent>;
    /** Read a campaign's statistics. Recipients are counted once. Opens through privacy relays count and make `proxiedShare`; those of scanners do not. A click is an open too. Permission `campaigns:read`; `GET /api/v1/campaigns/{id}/stats`. */
    getCampaignStats: (id: string, options?: CallOptions) => Promise<CampaignStats>;
    /** List webhooks. All of the workspace, twenty at most, newest first; without their secrets. Permission `webhooks:read`; `GET /api/v1/webhooks`. */
    listWebhooks: (query?: ListWebhooksQuery, options?: CallOptions) => Promise<WebhookList>;
    /** Create a webhook. From the answer on, each event of these types is posted to the URL, signed with `secret`. Permission `webhooks:write`; `POST /api/v1/webhooks`. */
    createWebhook: (body: WebhookRequest, options?: CallOptions) => Promise<WebhookWithSecret>;
    /** Read a webhook. With its secret. Permission `webhooks:read`; `GET /api/v1/webhooks/{id}`. */
    getWebhook: (id: string, options?: CallOptions) => Promise<WebhookWithSecret>;
    /** Change a webhook. Changes the given fields. `enabled: false` disables the webhook and keeps its journal: no new events are recorded for it, and pending deliveries wait until it is enabled again. Permission `webhooks:write`; `PATCH /api/v1/webhooks/{id}`. */
    updateWebhook: (id: string, body: WebhookUpdate, options?: CallOptions) => Promise<Webhook>;
    /** Delete a webhook. Its journal goes with it. Permission `webhooks:write`; `DELETE /api/v1/webhooks/{id}`. */
    deleteWebhook: (id: string, options?: CallOptions) => Promise<WebhookDeleted>;
    /** Test a webhook. Posts an event of the real form whose `data` is `{"test": true}` and whose type is the first of the webhook, and waits for the answer: `status` is the outcome. One attempt, also for a disabled webhook. Permission `webhooks:write`; `POST /api/v1/webhooks/{id}/test`. */
    testWebhook: (id: string, options?: CallOptions) => Promise<WebhookTest>;
    /** Read a webhook's journal. Each event for this webhook, newest first, with every attempt. Entries expire with their events: after 30 days, unless another limit is set. Permission `webhooks:read`; `GET /api/v1/webhooks/{id}/deliveries`. */
    listWebhookDeliveries: (id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions) => Promise<WebhookDeliveryList>;
    /** Replay a delivery. One more attempt of the entry, from any state: the same bytes and event `id`, freshly signed. Waits for the answer. `status`, `response_status` and `error` are those of this attempt; the entry of a delivered event stays `delivered` in the journal. Permission `webhooks:write`; `POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay`. */
    replayWebhookDelivery: (id: string, deliveryId: string, options?: CallOptions) => Promise<WebhookReplay>;
    /** Replay the events of a period. Sends the events of the webhook’s types from that period again, with the usual retries: failed ones, those that it missed while it was disabled, and with `only: all` also delivered ones. Permission `webhooks:write`; `POST /api/v1/webhooks/{id}/replay`. */
    replayWebhookEvents: (id: string, body: RangeReplayRequest, options?: CallOptions) => Promise<RangeReplay>;
    /** Change a webhook's secret. Answers the new secret. For `overlap_hours` every call carries a signature by each of the two, so that a receiver that knows either accepts it. Permission `webhooks:write`; `POST /api/v1/webhooks/{id}/rotate`. */
    rotateWebhookSecret: (id: string, query?: RotateWebhookSecretQuery, options?: CallOptions) => Promise<WebhookWithSecret>;
    /** Read events by polling. Events that some webhook of the workspace listens to, disabled ones included, in the order in which they were committed: none appears later before one that was read. Remember the last `id` and give it as `after`. Stored for 30 days, unless another limit is set; an event that expired answers 422. Permission `webhooks:read`; `GET /api/v1/events`. */
    listEvents: (query?: ListEventsQuery, options?: CallOptions) => Promise<EventList>;
    /** List domains. All of the workspace, in the order in which they were added. Permission `domains:read`; `GET /api/v1/domains`. */
    listDomains: (options?: CallOptions) => Promise<ApiDomainList>;
    /** Add a domain. Makes its keys and answers the DNS records to set. For an existing domain, answers its present state. Permission `domains:write`; `POST /api/v1/domains`. */
    addDomain: (body: AddDomainRequest, options?: CallOptions) => Promise<ApiDomain>;
    /** Read a domain. Its records at the last check; DNS is not asked. Permission `domains:read`; `GET /api/v1/domains/{name}`. */
    getDomain: (name: string, options?: CallOptions) => Promise<ApiDomain>;
    /** Check the records of a domain. Asks DNS now and updates the status. Within a few seconds of another check, for a key within half a minute, answers that result. Permission `domains:write`; `POST /api/v1/domains/{name}/check`. */
    checkDomain: (name: string, options?: CallOptions) => Promise<ApiDomain>;
    /** List the calls of the API. The calls of the last days with a key of the workspace, newest first: of the API and of MCP, without their content. Rare matches among very many calls take several pages. Permission `logs:read`; `GET /api/v1/requests`. */
    listRequests: (query?: ListRequestsQuery, options?: CallOptions) => Promise<RequestList>;
}
export declare const routes: {
    readonly [Name in keyof Client]: Route;
};
