/** Refusals that only people meet, in the pages of a workspace: no program with a key ever sees one. */
export const personErrorKinds = {
  not_signed_in: {
    status: 401,
    fr: 'Connectez-vous pour continuer.',
    en: 'Sign in to go on.',
  },
  wrong_credentials: {
    status: 401,
    fr: "L'adresse, le mot de passe ou le code n'est pas le bon.",
    en: 'The address, the password or the code is not right.',
  },
  second_factor_required: {
    status: 401,
    fr: 'Donnez aussi le code de votre application, ou un code de secours.',
    en: 'Give the code of your app too, or a recovery code.',
  },
  foreign_origin: {
    status: 403,
    fr: "Cette demande vient d'un autre site : recommencez depuis les pages de ce service.",
    en: 'This request comes from another site: do it again on the pages of this service.',
  },
  insufficient_role: {
    status: 403,
    fr: "Votre rôle dans cet espace de travail ne le permet pas : demandez à l'un de ses propriétaires.",
    en: 'Your role in this workspace does not allow this: ask one of its owners.',
  },
  fresh_sign_in_required: {
    status: 403,
    fr: "Confirmez que c'est bien vous pour continuer.",
    en: 'Confirm that it is you to go on.',
  },
  link_not_valid: {
    status: 410,
    fr: 'Ce lien a déjà servi, a expiré ou a été remplacé : demandez-en un nouveau.',
    en: 'This link was used, has expired or was replaced: ask for a new one.',
  },
} as const
