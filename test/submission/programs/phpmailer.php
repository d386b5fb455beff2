<?php
// Hands the mail of content.json in by PHPMailer.
require 'autoload.php';

$content = json_decode(file_get_contents(getenv('CONTENT')));
foreach ($content->mails as $mail) {
    $message = new PHPMailer\PHPMailer\PHPMailer(true);
    $message->isSMTP();
    $message->Host = getenv('HOST');
    $message->Port = (int) getenv('PORT');
    $message->SMTPAuth = true;
    $message->SMTPAutoTLS = false;
    $message->SMTPSecure = ['STARTTLS' => 'tls', 'TLS' => 'ssl'][getenv('TLS')] ?? '';
    $written = fn ($text) => mb_convert_encoding($text, $mail->charset, 'utf-8');
    $message->Username = 'facteur';
    $message->Password = getenv('KEY');
    $message->CharSet = $mail->charset;
    $message->MessageID = "<{$mail->step}@phpmailer.test>";
    preg_match('/^(.*) <(.*)>$/', $mail->from, $from);
    $message->setFrom($from[2], $from[1]);
    foreach ($mail->to as $to) $message->addAddress($to);
    foreach ($mail->bcc as $bcc) $message->addBCC($bcc);
    $message->Subject = $written($mail->subject);
    $message->Body = $written($content->html);
    $message->isHTML();
    $message->AltBody = $written($content->text);
    $message->addStringEmbeddedImage(base64_decode($content->logo), 'logo', 'logo.png', 'base64', 'image/png');
    $message->addStringAttachment(base64_decode($content->file), $written($content->filename));
    try {
        $message->send();
        $reply = '250';
    } catch (Exception $error) {
        $reply = $message->getSMTPInstance()->getError();
        $reply = ($reply['smtp_code'] ?? '') . ' ' . ($reply['smtp_code_ex'] ?? '') . ' ' . ($reply['detail'] ?? $error->getMessage());
    }
    echo json_encode(['step' => $mail->step, 'reply' => $reply]), "\n";
}
