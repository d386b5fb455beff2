<?php

// Calls Facteur with Resend's PHP SDK as it comes, and prints one line of JSON for each step (see sdks.test.ts).

use Resend\Exceptions\ErrorException;

require 'vendor/autoload.php';

function step(string $name, callable $call): void
{
    try {
        $line = ['answer' => $call()];
    } catch (ErrorException $error) {
        // `getErrorCode` and `getErrorType` read fields of `error` that are not there, and throw.
        $line = ['message' => $error->getErrorMessage()];
    }
    echo json_encode(['step' => $name, ...$line]), "\n";
}

$resend = Resend::client(getenv('RESEND_API_KEY'));
$mail = [
    'from' => 'Boutique <hello@shop.test>',
    'to' => ['camille@example.com'],
    'subject' => 'Commande n° 1042 ✓',
    'html' => '<p>Bonjour</p>',
    'text' => 'Bonjour',
];
$send = fn (array $changes) => fn () => [$resend->emails->send([...$mail, ...$changes])->id];
$sendBatch = fn (array $mails) => fn () => array_map(fn ($sent) => $sent->id, $resend->batch->send($mails)->data);

step('send', $send([
    'reply_to' => 'answers@example.com',
    'headers' => ['X-Order' => '1042'],
    'tags' => [['name' => 'order', 'value' => '1042']],
    'attachments' => [
        ['filename' => 'reçu.bin', 'content' => base64_encode(implode(array_map('chr', range(0, 255))))],
        ['filename' => 'logo.png', 'content' => base64_encode("\x89PNG"), 'content_id' => 'logo'],
    ],
]));
step('batch', $sendBatch([$mail, [...$mail, 'subject' => 'Second']]));
step('get', function () use ($resend, $mail) {
    $read = $resend->emails->get($resend->emails->send($mail)->id);

    return [$read->id, $read->subject, $read->html, $read->text];
});
step('bad address', $send(['to' => ['nobody']]));
step('other domain', $send(['from' => 'hello@elsewhere.test']));
step('suppressed', $send(['to' => ['gone@example.com']]));
step('bad batch', $sendBatch([$mail, [...$mail, 'to' => ['nobody']]]));
$resend = Resend::client(getenv('OTHER_KEY'));
step('wrong key', fn () => [$resend->emails->send($mail)->id]);
