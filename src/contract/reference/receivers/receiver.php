<?php
// FACTEUR_WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8080 receiver.php

function is_genuine(string $header, string $body): bool
{
    $at = '';
    $signatures = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = explode('=', $part, 2) + [1 => ''];
        if ($name === 't') $at = $value;
        if ($name === 'v1') $signatures[] = $value;
    }
    if (!ctype_digit($at) || abs(time() - (int) $at) > 300) return false;
    $expected = hash_hmac('sha256', "$at.$body", getenv('FACTEUR_WEBHOOK_SECRET'));
    foreach ($signatures as $signature) if (hash_equals($expected, $signature)) return true;
    return false;
}

$body = file_get_contents('php://input');
if (!is_genuine($_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '', $body)) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true);
// yours: a table whose key is the event's id. Here, a file that only the first can make.
$mark = @fopen(sys_get_temp_dir() . '/facteur-' . sha1($event['id']), 'x');
if ($mark !== false) error_log($event['id'] . ' ' . $event['type']);
http_response_code(204);
